import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct CookieTests {
  private func withSession(
    _ wire: Wire, _ adjust: (URLSessionConfiguration) -> Void = { _ in },
    _ body: (TestServer, URLSession, HTTPCookieStorage) async throws -> Void
  ) async throws {
    try await wire.serve { server, configuration async throws in
      adjust(configuration)
      let session = URLSession(configuration: configuration)
      try await body(server, session, configuration.httpCookieStorage ?? HTTPCookieStorage())
      session.invalidateAndCancel()
    }
  }

  private func setting(_ cookies: String..., status: Int = 200, location: String? = nil) -> Reply {
    var reply = location.map { Reply.redirect(to: $0) } ?? Reply.text("", status: status)
    for cookie in cookies { reply.headers.add("Set-Cookie", cookie) }
    return reply
  }

  private func sent(_ server: TestServer) -> [String] { server.requests.map { $0.headers.all("Cookie").joined(separator: " | ") } }

  private func cookie(_ name: String, _ value: String, host: String = "127.0.0.1") throws -> HTTPCookie {
    try #require(HTTPCookie(properties: [.name: name, .value: value, .path: "/", .domain: host]))
  }

  @Test(arguments: Wire.allCases) func cookiesComeBackLongestPathFirst(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, storage in
      server.enqueue(setting("a=1; Path=/", "b=2; Path=/deep", "c=3; Path=/"), .text(""), .text(""))
      for path in ["/", "/deep/er", "/other"] { _ = try await session.text(from: server.url(path)) }
      #expect(sent(server) == ["", "b=2; a=1; c=3", "a=1; c=3"])
      #expect(storage.cookies?.map(\.name) == ["a", "b", "c"])
    }
  }

  @Test(arguments: Wire.allCases) func eachHopOfARedirectHasTheCookiesOfNow(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, _ in
      server.enqueue(setting("a=1", location: "/two"), setting("a=2", "b=1", location: "/three"), .text("done"))
      _ = try await session.text(from: server.url("/one"))
      #expect(sent(server) == ["", "a=1", "a=2; b=1"])
    }
  }

  @Test(arguments: Wire.allCases) func errorResponsesSetCookies(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, _ in
      server.enqueue(setting("a=1", status: 404), setting("b=2", status: 401), setting("c=3", status: 500), .text(""))
      for _ in 0..<4 { _ = try await session.text(from: server.url("/")) }
      #expect(sent(server) == ["", "a=1", "a=1; b=2", "a=1; b=2; c=3"])
    }
  }

  @Test(arguments: Wire.allCases) func requestAfterAChallengeHasTheCookiesThatCameWithIt(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, _ in
      var challenge = setting("step=1", status: 401)
      challenge.headers.add("WWW-Authenticate", "Basic realm=\"r\"")
      server.enqueue(challenge, .text("in"))
      let (_, response) = try await session.text(from: server.url(user: "ada", password: "secret"))
      #expect(response.statusCode == 200)
      #expect(sent(server).last == "step=1")
    }
  }

  @Test(arguments: Wire.allCases) func informationalResponsesSetNoCookies(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, storage in
      var reply = Reply.text("")
      reply.informational = [Reply.Informational(103, headers: ["Set-Cookie": "early=1"])]
      server.enqueue(reply)
      _ = try await session.text(from: server.url("/"))
      #expect(storage.cookies?.isEmpty == true)
    }
  }

  @Test(arguments: Wire.allCases) func requestThatHandlesNoCookiesNeitherSendsNorStoresThem(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, storage in
      storage.setCookie(try cookie("a", "1"))
      server.enqueue(setting("b=2"))
      var request = URLRequest(url: server.url("/"))
      request.httpShouldHandleCookies = false
      request.setValue("own=1", forHTTPHeaderField: "Cookie")
      _ = try await session.text(for: request)
      #expect(sent(server) == ["own=1"])
      #expect(storage.cookies?.map(\.name) == ["a"])
    }
  }

  @Test(arguments: Wire.allCases) func sessionThatSetsNoCookiesStillStoresThem(_ wire: Wire) async throws {
    try await withSession(wire, { $0.httpShouldSetCookies = false }) { server, session, storage in
      server.enqueue(setting("a=1"), .text(""))
      for _ in 0..<2 { _ = try await session.text(from: server.url("/")) }
      #expect(sent(server) == ["", ""])
      #expect(storage.cookies?.map(\.name) == ["a"])
    }
  }

  @Test(arguments: Wire.allCases) func sessionWithoutAStorageForgetsCookies(_ wire: Wire) async throws {
    try await withSession(wire, { $0.httpCookieStorage = nil }) { server, session, _ in
      server.enqueue(setting("a=1"), .text(""))
      for _ in 0..<2 { _ = try await session.text(from: server.url("/")) }
      #expect(sent(server) == ["", ""])
    }
  }

  @Test(arguments: Wire.allCases) func ownFieldGivesWayToStoredCookiesAndStaysWithoutAny(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, storage in
      server.enqueue(.text(""), .text(""))
      var request = URLRequest(url: server.url("/"))
      request.setValue("own=1", forHTTPHeaderField: "Cookie")
      _ = try await session.text(for: request)
      storage.setCookie(try cookie("stored", "2"))
      _ = try await session.text(for: request)
      #expect(sent(server) == ["own=1", "stored=2"])
    }
  }

  @Test(arguments: Wire.allCases) func redirectToAnotherOriginDropsTheOwnField(_ wire: Wire) async throws {
    try await wire.serve { other, _ async throws in
      other.enqueue(.text("done"))
      let target = other.url("/to").absoluteString
      try await withSession(wire) { server, session, _ in
        server.enqueue(.redirect(to: "/same"), .redirect(to: target))
        var request = URLRequest(url: server.url("/"))
        request.setValue("own=1", forHTTPHeaderField: "Cookie")
        _ = try await session.text(for: request)
        #expect(sent(server) == ["own=1", "own=1"])
      }
      #expect(sent(other) == [""])
    }
  }

  typealias Policy = (value: HTTPCookie.AcceptPolicy, document: String?, count: Int)

  private static let policies: [Policy] = [
    (.always, "http://www.other.test/", 1), (.never, nil, 0), (.onlyFromMainDocumentDomain, nil, 1),
    (.onlyFromMainDocumentDomain, "http://127.0.0.1/page", 1), (.onlyFromMainDocumentDomain, "http://www.other.test/", 0),
  ]

  @Test(arguments: policies, Wire.allCases)
  func acceptPolicyOfTheSessionDecides(_ policy: Policy, _ wire: Wire) async throws {
    try await withSession(wire, { $0.httpCookieAcceptPolicy = policy.value }) { server, session, storage in
      server.enqueue(setting("a=1"))
      var request = URLRequest(url: server.url("/"))
      request.mainDocumentURL = policy.document.flatMap { URL(string: $0) }
      _ = try await session.text(for: request)
      #expect(storage.cookies?.count == policy.count)
    }
  }

  @Test(arguments: Wire.allCases) func sameSiteCookiesStayAtHomeUnlessTheDocumentItselfIsRedirected(_ wire: Wire) async throws {
    try await withSession(wire, { $0.httpCookieAcceptPolicy = .always }) { server, session, _ in
      server.enqueue(setting("strict=1; SameSite=Strict", "lax=2; SameSite=Lax", "plain=3"), .text(""))
      _ = try await session.text(from: server.url("/"))
      var request = URLRequest(url: server.url("/part"))
      request.mainDocumentURL = URL(string: "http://www.other.test/")
      _ = try await session.text(for: request)
      // "localhost" and "127.0.0.1" are two sites.
      let local = server.url("/document", host: "localhost")
      server.enqueue(.redirect(to: server.url("/landing").absoluteString), .text(""))
      request = URLRequest(url: local)
      request.mainDocumentURL = local
      _ = try await session.text(for: request)
      #expect(server.requests[1].headers["Cookie"] == "plain=3")
      #expect(server.requests.last?.path == "/landing")
      #expect(server.requests.last?.headers["Cookie"] == "lax=2; plain=3")
    }
  }

  @Test(arguments: Wire.allCases) func secureCookiesNeedTLS(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, _ in
      server.enqueue(setting("__Host-a=1; Secure; Path=/", "b=2"), .text(""))
      for _ in 0..<2 { _ = try await session.text(from: server.url("/")) }
      #expect(sent(server).last == (wire == .plain ? "b=2" : "__Host-a=1; b=2"))
    }
  }

  @Test(arguments: Wire.allCases) func partitionsAreJarsOfTheirOwn(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, _ in
      server.enqueue(setting("a=one"), .text(""), .text(""))
      let partitions: [String?] = ["https://one.test", nil, "https://one.test"]
      for partition in partitions {
        var request = URLRequest(url: server.url("/"))
        request.cookiePartitionIdentifier = partition
        _ = try await session.text(for: request)
      }
      #expect(sent(server) == ["", "", "a=one"])
    }
  }

  /// A storage of the app's own, in terms of its public members.
  private final class TaskStorage: HTTPCookieStorage, @unchecked Sendable {
    let log = Mutex<[String]>([])

    override func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
      log.withLock { $0.append("stored \(cookies.map(\.name)) for \(task.currentRequest?.url?.path ?? "")") }
    }

    override func getCookiesFor(_ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void) {
      log.withLock { $0.append("asked for \(task.currentRequest?.url?.path ?? "")") }
      completionHandler(HTTPCookie(properties: [.name: "mine", .value: "1", .path: "/", .domain: "x.test"]).map { [$0] })
    }
  }

  @Test(arguments: Wire.allCases) func subclassIsAskedThroughItsPublicMembers(_ wire: Wire) async throws {
    let storage = TaskStorage()
    try await withSession(wire, { $0.httpCookieStorage = storage }) { server, session, _ in
      server.enqueue(setting("a=1", location: "/two"), .text(""))
      _ = try await session.text(from: server.url("/one"))
      #expect(sent(server) == ["mine=1", "mine=1"])
      #expect(storage.log.withLock { $0 } == ["asked for /one", "stored [\"a\"] for /one", "asked for /two"])
    }
  }

  /// A class of its own that changes nothing.
  private final class OwnStorage: HTTPCookieStorage, @unchecked Sendable {}

  @Test(arguments: [HTTPCookie.AcceptPolicy.always, .never, .onlyFromMainDocumentDomain], Wire.allCases)
  func policyOfTheSessionOverridesThatOfASubclass(_ policy: HTTPCookie.AcceptPolicy, _ wire: Wire) async throws {
    for own in [HTTPCookie.AcceptPolicy.always, .never] {
      let storage = OwnStorage()
      storage.cookieAcceptPolicy = own
      try await withSession(
        wire,
        {
          $0.httpCookieStorage = storage
          $0.httpCookieAcceptPolicy = policy
        },
        { server, session, _ in
          server.enqueue(setting("a=1"), setting("b=1"))
          var request = URLRequest(url: server.url("/"))
          request.mainDocumentURL = URL(string: "https://other.test/")
          _ = try await session.data(for: request)
          // As it is for the base class: a third party sets none of its first cookies under onlyFromMainDocumentDomain.
          #expect(storage.cookies?.map(\.name) == (policy == .always ? ["a"] : []))
          _ = try await session.data(from: server.url("/"))
          #expect(storage.cookies?.map(\.name) == (policy == .always ? ["a", "b"] : policy == .never ? [] : ["b"]))
        })
    }
  }

  @Test(arguments: Wire.allCases) func subclassKeepsPartitionsApart(_ wire: Wire) async throws {
    let storage = OwnStorage()
    try await withSession(wire, { $0.httpCookieStorage = storage }) { server, session, _ in
      server.enqueue(setting("a=1"), .text(""), .text(""))
      for partition in ["one", "one", "two"] {
        var request = URLRequest(url: server.url("/"))
        request.cookiePartitionIdentifier = partition
        _ = try await session.data(for: request)
      }
      #expect(sent(server) == ["", "a=1", ""])
    }
  }

  @Test(arguments: Wire.allCases) func subclassSendsNoStrictCookiesForAnotherSite(_ wire: Wire) async throws {
    let storage = OwnStorage()
    try await withSession(wire, { $0.httpCookieStorage = storage }) { server, session, _ in
      server.enqueue(setting("a=1; SameSite=Strict", "b=1"), .text(""), .text(""))
      var request = URLRequest(url: server.url("/"))
      _ = try await session.data(for: request)
      request.mainDocumentURL = URL(string: "https://other.test/")
      _ = try await session.data(for: request)
      request.mainDocumentURL = nil
      _ = try await session.data(for: request)
      #expect(sent(server) == ["", "b=1", "a=1; b=1"])
    }
  }

  @Test(arguments: Wire.allCases) func changeByALoadIsAnnounced(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, storage in
      let announced = Signal()
      let observer = NotificationCenter.default.addObserver(
        forName: .NSHTTPCookieManagerCookiesChanged, object: storage, queue: nil
      ) { _ in announced.send() }
      defer { NotificationCenter.default.removeObserver(observer) }
      server.enqueue(setting("a=1"))
      _ = try await session.text(from: server.url("/"))
      await announced.wait()
    }
  }

  @Test(arguments: Wire.allCases) func metricsShowTheFieldAsSent(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, storage in
      storage.setCookie(try cookie("a", "1"))
      server.enqueue(.redirect(to: "/two"), .text(""))
      let recorder = MetricsCatcher()
      _ = try await session.data(for: URLRequest(url: server.url("/one")), delegate: recorder)
      #expect(recorder.fields.withLock { $0 } == ["a=1", "a=1"])
    }
  }

  private final class MetricsCatcher: NSObject, URLSessionTaskDelegate {
    let fields = Mutex<[String?]>([])

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      fields.withLock { $0 = metrics.transactionMetrics.map { $0.request.value(forHTTPHeaderField: "Cookie") } }
    }
  }

  @Test(arguments: Wire.allCases) func manyLoadsThatSetCookiesLoseNone(_ wire: Wire) async throws {
    try await withSession(wire) { server, session, storage in
      server.route("/set/*") { request in
        var reply = Reply.text("")
        reply.headers.add("Set-Cookie", "c\(request.path.dropFirst(5))=1; Path=/")
        return reply
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<60 { group.addTask { _ = try await session.text(from: server.url("/set/\(index)")) } }
        try await group.waitForAll()
      }
      #expect(storage.cookies?.count == 60)
    }
  }

  @Test(arguments: Wire.allCases) func groupStorageIsOnDiskWhenTheResponseArrives(_ wire: Wire) async throws {
    let group = "group.test.\(UUID().uuidString)"
    let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: group)
    try await withSession(wire, { $0.httpCookieStorage = storage }) { server, session, _ in
      server.enqueue(setting("kept=1; Max-Age=60", "session=2"), .text(""))
      for _ in 0..<2 { _ = try await session.text(from: server.url("/")) }
      #expect(sent(server) == ["", "kept=1; session=2"])
      await session.reset()
      #expect(storage.cookies?.isEmpty == true)
    }
  }
}
