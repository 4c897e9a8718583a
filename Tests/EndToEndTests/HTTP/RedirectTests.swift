import Foundation
import struct Synchronization.Atomic
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct RedirectTests {
  /// Methods and what becomes of them (RFC 9110, 15.4): the last column tells whether the body is sent again.
  private static func changes(by status: Int) -> [(method: String, then: String, keepsBody: Bool)] {
    switch status {
    case 301, 302: [("GET", "GET", true), ("HEAD", "HEAD", true), ("POST", "GET", false), ("PUT", "PUT", true)]
    case 303: [("GET", "GET", true), ("HEAD", "HEAD", true), ("POST", "GET", false), ("PUT", "GET", false)]
    default: [("GET", "GET", true), ("HEAD", "HEAD", true), ("POST", "POST", true), ("PUT", "PUT", true)]
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308], Wire.allCases)
  func methodAndBodyFollowTheStatus(_ status: Int, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      for change in RedirectTests.changes(by: status) {
        let hasBody = change.method == "POST" || change.method == "PUT"
        server.enqueue(.redirect(to: "/to", status: status), .text("done"))
        var request = URLRequest(change.method, server.url("/from"), body: hasBody ? Data("content".utf8) : nil)
        if hasBody { request.setValue("text/special", forHTTPHeaderField: "Content-Type") }
        let (_, response) = try await session.text(for: request)
        #expect(response.statusCode == 200)
        #expect(response.url == server.url("/to"))
        let received = try #require(server.requests.last)
        #expect(received.method == change.then)
        #expect(received.uri == "/to")
        #expect(received.text == (hasBody && change.keepsBody ? "content" : ""))
        #expect(received.headers["Content-Type"] == (hasBody && change.keepsBody ? "text/special" : nil))
      }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func redirectWhoseBodyDoesNotEndIsFollowed(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/to", reply: .text("done"))
      server.route(
        "/from", reply: Reply(302, headers: ["Location": "/to"], body: .text("moved"), faults: [.stallAfter(bodyBytes: 3)]))
      #expect(try await session.text(from: server.url("/from")).0 == "done")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func largeDataBodyIsSentAgainAfter307(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.redirect(to: "/to", status: 307), .text("done"))
      let (text, _) = try await session.text(for: URLRequest("PUT", server.url("/from"), body: Data(repeating: 1, count: 1_000_000)))
      #expect(text == "done")
      #expect(server.requests.map(\.bodyLength) == [1_000_000, 1_000_000])
      session.invalidateAndCancel()
    }
  }

  /// Hands out body streams as often as it is asked.
  private final class StreamSupplier: NSObject, URLSessionTaskDelegate {
    let content: Data?
    let asked = Atomic<Int>(0)

    init(_ content: Data?) { self.content = content }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      asked.add(1, ordering: .relaxed)
      completionHandler(content.map { InputStream(data: $0) })
    }
  }

  @Test(arguments: Wire.allCases) func streamBodyIsAskedForAgainAfter307(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.redirect(to: "/to", status: 307), .text("done"))
      let supplier = StreamSupplier(Data("second".utf8))
      var request = URLRequest("POST", server.url("/from"))
      request.httpBodyStream = InputStream(data: Data("first".utf8))
      _ = try await session.data(for: request, delegate: supplier)
      #expect(supplier.asked.load(ordering: .relaxed) == 1)
      #expect(server.requests.map(\.text) == ["first", "second"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [true, false], Wire.allCases) func streamBodyThatNobodySuppliesAgainFails(hasDelegate: Bool, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.redirect(to: "/to", status: 308), .text("done"))
      var request = URLRequest("POST", server.url("/from"))
      request.httpBodyStream = InputStream(data: Data("first".utf8))
      let error = await session.failure(of: request, delegate: hasDelegate ? StreamSupplier(nil) : nil)
      #expect(error?.code == .requestBodyStreamExhausted)
      #expect(server.requestCount == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func relativeLocationIsResolvedAndTheFragmentInherited(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.redirect(to: "../d?y=1"), .text("done"))
      let (_, response) = try await session.text(from: server.url("/a/b/c?x=1#part"))
      #expect(response.url == server.url("/a/d?y=1#part"))
      #expect(server.requests.map(\.uri) == ["/a/b/c?x=1", "/a/d?y=1"])
      server.enqueue(.redirect(to: "/e#own"), .text("done"))
      #expect(try await session.text(from: server.url("/a#part")).1.url == server.url("/e#own"))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [true, false], Wire.allCases)
  func redirectAcrossOriginsDropsAuthorizationAndCookie(setOnSession: Bool, wire: Wire) async throws {
    try await wire.serve { other, _ async throws in
      try await wire.serve { server, configuration async throws in
        let secrets = ["Authorization": "Bearer secret", "Cookie": "a=b", "X-Plain": "kept"]
        if setOnSession { configuration.httpAdditionalHeaders = secrets }
        let session = URLSession(configuration: configuration)
        server.enqueue(.redirect(to: other.url("/away").absoluteString), .text("back"))
        other.enqueue(.redirect(to: server.url("/back").absoluteString))
        var request = URLRequest(url: server.url("/start"))
        if !setOnSession { request.allHTTPHeaderFields = secrets }
        #expect(try await session.text(for: request).0 == "back")
        let first = server.requests[0].headers
        #expect(first["Authorization"] == "Bearer secret")
        #expect(first["Cookie"] == "a=b")
        // Back at the first origin they stay away: the other server may have chosen where to send the client.
        for later in [other.requests[0].headers, server.requests[1].headers] {
          #expect(later["Authorization"] == nil)
          #expect(later["Cookie"] == nil)
          #expect(later["X-Plain"] == "kept")
        }
        #expect(other.requests[0].headers["Host"] == "127.0.0.1:\(other.port)")
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [true, false], Wire.allCases)
  func redirectWithinTheOriginKeepsAuthorization(setOnSession: Bool, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let secrets = ["Authorization": "Bearer secret", "Cookie": "a=b"]
      if setOnSession { configuration.httpAdditionalHeaders = secrets }
      let session = URLSession(configuration: configuration)
      server.enqueue(.redirect(to: server.url("/to").absoluteString), .text("done"))
      var request = URLRequest(url: server.url("/from"))
      if !setOnSession { request.allHTTPHeaderFields = secrets }
      _ = try await session.data(for: request)
      #expect(server.requests[1].headers["Authorization"] == "Bearer secret")
      #expect(server.requests[1].headers["Cookie"] == "a=b")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func loopEndsAfterSixteenRedirects(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/loop", reply: .redirect(to: "/loop"))
      #expect(await session.failure(of: server.url("/loop"))?.code == .httpTooManyRedirects)
      #expect(server.requestCount == 17)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func sixteenRedirectsAreFollowed(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url("/redirect/16")).1.url == server.url("/get"))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func refusedRedirectIsTheResponse(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let recorder = DelegateRecorder(redirect: { _ in nil })
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      server.enqueue(Reply(302, headers: ["Location": "/to"], body: .text("look there")))
      let task = session.dataTask(with: server.url("/from"))
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.milestones.prefix(3) == [.created, .redirect(status: 302, to: server.url("/to")), .response(status: 302)])
      #expect(recorder.body == Data("look there".utf8))
      #expect(task.response?.url == server.url("/from"))
      #expect(server.requestCount == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func delegateMayChangeTheRedirect(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let recorder = DelegateRecorder { proposed in
        var request = proposed
        request.setValue("yes", forHTTPHeaderField: "X-Changed")
        request.url = proposed.url?.deletingLastPathComponent().appending(path: "elsewhere")
        return request
      }
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      server.enqueue(.redirect(to: "/to"), .text("done"))
      let task = session.dataTask(with: server.url("/from"))
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(server.requests[1].uri == "/elsewhere")
      #expect(server.requests[1].headers["X-Changed"] == "yes")
      #expect(task.originalRequest?.url == server.url("/from"))
      #expect(task.currentRequest?.url == server.url("/elsewhere"))
      #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Changed") == "yes")
      #expect(recorder.metrics?.redirectCount == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["file:///etc/hostname", "data:,hello", "unknown-scheme://host/", "mailto:a@b.example"], Wire.allCases)
  func redirectOutOfTheWebIsRefused(_ location: String, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.redirect(to: location))
      #expect(await session.failure(of: server.url("/from"))?.code == .unsupportedURL)
      session.invalidateAndCancel()
    }
  }

  private static let dead = [
    Reply(302, body: .text("nowhere")), Reply(300, body: .text("nowhere")), Reply(304), Reply(305, headers: ["Location": "/"]),
  ]

  @Test(arguments: dead, Wire.allCases)
  func responseThatLeadsNowhereIsTheResult(_ reply: Reply, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(reply)
      #expect(try await session.text(from: server.url("/from")).1.statusCode == reply.status)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [(10_000, 1), (10_000_000, 2)], Wire.allCases)
  func shortRedirectBodyKeepsTheConnectionAndALongOneCostsIt(_ body: (length: Int, connections: Int), _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(Reply(302, headers: ["Location": "/to"], body: .repeating(1, count: body.length)), .text("done"))
      #expect(try await session.text(from: server.url("/from")).0 == "done")
      // A stream can be given up without its connection.
      #expect(server.acceptedConnections == (wire.isMultiplexed ? 1 : body.connections))
      session.invalidateAndCancel()
    }
  }

  private static let broken = [
    Reply(302, body: .text("cut short"), faults: [.disconnectAfterBodyBytes(3)]),
    Reply(302, headers: ["Content-Encoding": "gzip"], body: .text("not gzip at all")),
  ]

  @Test(arguments: broken, Wire.allCases)
  func brokenRedirectBodyDoesNotMatter(_ reply: Reply, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      var redirect = reply
      redirect.headers["Location"] = "/to"
      server.enqueue(redirect, .text("done"))
      #expect(try await session.text(from: server.url("/from")).0 == "done")
      session.invalidateAndCancel()
    }
  }
}
