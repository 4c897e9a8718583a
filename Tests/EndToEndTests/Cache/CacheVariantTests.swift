import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Responses that vary by user, in one cache that several sessions share: no user gets what was meant for another.
@Suite(.timeLimit(.minutes(10))) struct CacheVariantTests {
  private static let varying: HeaderList = ["Cache-Control": "max-age=60", "Vary": "Authorization"]

  /// A session on the scene's cache with credentials, and a login, of its own.
  private func session(_ scene: CacheScene, user: String? = nil) throws -> URLSession {
    let configuration = scene.session.configuration
    configuration.urlCredentialStorage = URLCredentialStorage()
    return URLSession(configuration: configuration, delegate: user.map { ChallengeAnswerer($0, "p") }, delegateQueue: nil)
  }

  /// What loading "/a" with the session comes to.
  private func load(_ session: URLSession, _ server: TestServer) async throws -> (status: Int, text: String) {
    let (text, response) = try await session.text(from: server.url("/a"))
    return (response.statusCode, text)
  }

  /// Ann and Bob share a cache that has been filled for Ann; then an unknown user comes.
  ///
  /// - Parameter hits: How many of Ann's next two loads the cache answers.
  private func sharesNothing(_ server: TestServer, _ scene: CacheScene, hits: Int) async throws {
    let (ann, bob, nobody) = (try session(scene, user: "ann"), try session(scene, user: "bob"), try session(scene))
    #expect(try await load(ann, server) == (200, "ann"))
    let first = server.requestCount
    for _ in 0..<2 { #expect(try await load(ann, server) == (200, "ann")) }
    #expect(server.requestCount == first + 2 - hits)
    for _ in 0..<2 {
      let before = server.requestCount
      #expect(try await load(nobody, server) == (401, "denied"))
      #expect(server.requestCount == before + 1)
    }
    for _ in 0..<2 { #expect(try await load(bob, server) == (200, "bob")) }
    #expect(try await load(ann, server) == (200, "ann"))
    for session in [ann, bob, nobody] { session.invalidateAndCancel() }
  }

  @Test func strangerIsRefusedWhereBasicLetSomebodyIn() async throws {
    try await CacheScene.with { server, scene async throws in
      let users = [basic("ann", "p"): "ann", basic("bob", "p"): "bob"]
      server.route("/a") { request in
        users[request.headers["Authorization"] ?? ""].map { .fields($0, CacheVariantTests.varying) }
          ?? Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""], body: .text("denied"))
      }
      try await sharesNothing(server, scene, hits: 2)
    }
  }

  /// Each request has a field of its own: nothing stored ever fits.
  @Test func strangerIsRefusedWhereDigestLetSomebodyIn() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a") { request in
        let user = ["ann", "bob"].first { request.headers["Authorization"]?.contains("username=\"\($0)\"") == true }
        return user.map { .fields($0, CacheVariantTests.varying) }
          ?? Reply(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#], body: .text("denied"))
      }
      try await sharesNothing(server, scene, hits: 0)
    }
  }

  /// No field shows which user is logged in on a connection: nothing that is stored fits.
  @Test func strangerIsRefusedWhereAConnectionIsLoggedIn() async throws {
    // Such logins are HTTP/1.1's.
    try await CacheScene.with(over: [.plain, .h2]) { server, scene async throws in
      ConnectionLogin(fields: CacheVariantTests.varying).attach(to: server)
      try await sharesNothing(server, scene, hits: 0)
    }
  }

  // MARK: cookies

  private static func answer(_ request: RecordedRequest) -> Reply {
    .fields(request.headers["Cookie"] ?? "none", ["Cache-Control": "max-age=60", "Vary": "Cookie"])
  }

  private func setCookie(_ value: String, _ server: TestServer, _ scene: CacheScene) throws {
    let cookie = try #require(HTTPCookie(properties: [.name: "user", .value: value, .path: "/", .domain: "127.0.0.1"]))
    try #require(scene.session.configuration.httpCookieStorage).setCookie(cookie)
  }

  @Test func eachCookieHasItsVariant() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a", .GET) { CacheVariantTests.answer($0) }
      #expect(try await scene.load(server.url("/a")).text == "none")
      for _ in 0..<2 {
        for user in ["ann", "bob"] {
          try setCookie(user, server, scene)
          #expect(try await scene.load(server.url("/a")).text == "user=\(user)")
        }
      }
      #expect(server.requestCount == 3)
      var request = URLRequest(url: server.url("/a"))
      request.httpShouldHandleCookies = false
      #expect(try await scene.load(request).text == "none")
      request.setValue("user=bob", forHTTPHeaderField: "Cookie")
      #expect(try await scene.load(request).text == "user=bob")
      #expect(server.requestCount == 3)
    }
  }

  /// The cookie that a response sets is not the one that its request had.
  @Test func cookieThatAResponseSetsIsNotYetItsVariant() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a", .GET) { request in
        var reply = CacheVariantTests.answer(request)
        reply.headers.add("Set-Cookie", "user=ann; Path=/")
        return reply
      }
      #expect(try await scene.load(server.url("/a")).text == "none")
      for _ in 0..<2 { #expect(try await scene.load(server.url("/a")).text == "user=ann") }
      #expect(server.requestCount == 2)
    }
  }

  /// A 401 sets a cookie that the repeated request has: the response varies by that one.
  @Test func cookieThatARefusalSetsCounts() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a", .GET) { request in
        guard request.headers["Authorization"] != nil else {
          return Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\"", "Set-Cookie": "user=ann; Path=/"])
        }
        return CacheVariantTests.answer(request)
      }
      let ann = try session(scene, user: "ann")
      for _ in 0..<2 { #expect(try await load(ann, server) == (200, "user=ann")) }
      #expect(server.requestCount == 2)
      try setCookie("bob", server, scene)
      #expect(try await load(ann, server) == (200, "user=bob"))
      ann.invalidateAndCancel()
    }
  }
}
