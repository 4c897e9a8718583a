import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// HTTP Strict Transport Security (RFC 6797) as an app sees it.
@Suite(.timeLimit(.minutes(10))) struct StrictTransportSecurityTests {
  private static let field = "Strict-Transport-Security"

  /// Runs `body` with a TLS server that asks for TLS, and a configuration that trusts it.
  private func serve(
    _ wire: Wire, _ body: (TestServer, URLSessionConfiguration) async throws -> Void
  ) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: Reply(headers: [Self.field: "max-age=3600"], body: .text("secret")))
      try await body(server, configuration)
    }
  }

  /// The server's address without TLS.
  private func plain(_ server: TestServer, _ path: String = "/", host: String = "localhost") throws -> URL {
    try #require(URL(string: "http://\(host):\(server.port)\(path)"))
  }

  @Test(arguments: Wire.secure) func hostThatAskedIsReachedByTLSWithoutARedirect(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      _ = try await session.data(from: server.url("/", host: "localhost"))
      let task = session.dataTask(with: try plain(server, "/?a=b#c"))
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      let secured = server.url("/?a=b#c", host: "localhost")
      #expect(task.originalRequest?.url == (try plain(server, "/?a=b#c")))
      #expect(task.currentRequest?.url == secured)
      #expect(task.response?.url == secured)
      #expect(!recorder.events.contains { if case .redirect = $0 { true } else { false } })
      #expect(recorder.metrics?.transactionMetrics.map(\.request.url) == [secured])
      #expect(server.requests.allSatisfy { $0.connection.tlsVersion != nil })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func targetOfARedirectIsTakenToTLSToo(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      _ = try await session.data(from: server.url("/", host: "localhost"))
      let target = try plain(server)
      server.enqueue(.redirect(to: target.absoluteString))
      let (text, response) = try await session.text(from: server.url("/from", host: "localhost"))
      #expect(text == "secret")
      #expect(response.url == server.url("/", host: "localhost"))
      // The delegate is asked about what the server said.
      #expect(recorder.events.contains(.redirect(status: 302, to: target)))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func hostOfTheListIsReachedByTLSAtOnce(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      configuration.secureHosts = try URLSessionSecureHosts(data: Data("localhost\n".utf8))
      let session = URLSession(configuration: configuration)
      // What it says of itself doesn't take it off the list.
      server.enqueue(Reply(headers: [Self.field: "max-age=0"], body: .text("first")))
      #expect(try await session.text(from: plain(server)).0 == "first")
      #expect(try await session.text(from: plain(server)).0 == "secret")
      await session.reset()
      #expect(try await session.text(from: plain(server)).0 == "secret")
      #expect(server.requests.allSatisfy { $0.connection.tlsVersion != nil })
      session.invalidateAndCancel()
    }
  }

  @Test func listThatCannotBeUsedSaysWhy() throws {
    let error = #expect(throws: CocoaError.self) { try URLSessionSecureHosts(data: Data("a.test\n!\n".utf8)) }
    #expect(error?.code == .fileReadCorruptFile && error?.localizedDescription.contains("line 2") == true)
    #expect(throws: (any Error).self) { try URLSessionSecureHosts(contentsOf: URL(filePath: "/nowhere/list")) }
    let list = try URLSessionSecureHosts(data: Data(".A.test\n".utf8))
    #expect(list.count == 1 && list.contains("B.a.TEST") && !list.contains("b.test"))
  }

  @Test(arguments: Wire.secure) func fieldOnARedirectCounts(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(Reply(302, headers: ["Location": "/", Self.field: "max-age=10"]), .text("no field"))
      _ = try await session.data(from: server.url("/from", host: "localhost"))
      #expect(try await session.text(from: plain(server)).0 == "secret")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func fieldOfAConfirmationCounts(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      configuration.urlCache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0)
      let session = URLSession(configuration: configuration)
      let url = server.url("/", host: "localhost")
      server.enqueue(
        Reply(headers: ["Cache-Control": "no-cache", "ETag": "\"a\""], body: .text("one")), Reply(304, headers: [Self.field: "max-age=10"]),
        .text("two"))
      for _ in 0..<2 { #expect(try await session.text(from: url).0 == "one") }
      #expect(try await session.text(from: plain(server, "/other")).0 == "two")
      session.invalidateAndCancel()
    }
  }

  @Test func fieldWithoutTLSIsIgnored() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: Reply(headers: [Self.field: "max-age=3600"], body: .text("public")))
      let session = URLSession(configuration: configuration)
      for _ in 0..<2 { #expect(try await session.text(from: plain(server)).0 == "public") }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func addressesAreNotRemembered(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      _ = try await session.data(from: server.url())
      await #expect(throws: URLError.self) { try await session.data(from: plain(server, host: "127.0.0.1")) }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func zeroTakesItBack(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      _ = try await session.data(from: server.url("/", host: "localhost"))
      server.enqueue(Reply(headers: [Self.field: "max-age=0"], body: .text("last")))
      #expect(try await session.text(from: plain(server)).0 == "last")
      await #expect(throws: URLError.self) { try await session.data(from: plain(server)) }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func ephemeralSessionsShareOnlyThroughTheirConfiguration(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let (session, sibling) = (URLSession(configuration: configuration), URLSession(configuration: configuration))
      let stranger = URLSession(configuration: try wire.configuration())
      _ = try await session.data(from: server.url("/", host: "localhost"))
      #expect(try await sibling.text(from: plain(server)).0 == "secret")
      await #expect(throws: URLError.self) { try await stranger.data(from: plain(server)) }
      await session.reset()
      await #expect(throws: URLError.self) { try await sibling.data(from: plain(server)) }
      for session in [session, sibling, stranger] { session.invalidateAndCancel() }
    }
  }

  @Test(arguments: Wire.secure) func credentialsOfTheSessionSurviveTheUpgrade(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      configuration.httpAdditionalHeaders = ["Authorization": "Bearer session"]
      let session = URLSession(configuration: configuration)
      _ = try await session.data(from: server.url("/", host: "localhost"))
      var request = URLRequest("PUT", try plain(server), body: Data("content".utf8))
      request.setValue("kept", forHTTPHeaderField: "X-Own")
      _ = try await session.data(for: request)
      let received = try #require(server.requests.last)
      #expect(received.headers["Authorization"] == "Bearer session")
      #expect(received.headers["X-Own"] == "kept")
      #expect(received.method == "PUT")
      #expect(received.text == "content")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func serverAcceptedAgainstTheEvaluationIsNotRemembered(_ wire: Wire) async throws {
    let certificate = try TestCertificate.selfSigned()
    try await TestServer.with(wire.options(certificate)) { server async throws in
      server.route("/", reply: Reply(headers: [Self.field: "max-age=3600"], body: .text("secret")))
      let session = URLSession(configuration: .testing(), delegate: ChallengeDelegate.accepting, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/", host: "localhost")).0 == "secret")
      await #expect(throws: URLError.self) { try await session.data(from: plain(server)) }
      session.invalidateAndCancel()
    }
  }

  /// As apps that pin do.
  @Test(arguments: Wire.secure) func goodServerThatTheAppAcceptedItselfIsRemembered(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let session = URLSession(configuration: configuration, delegate: ChallengeDelegate.accepting, delegateQueue: nil)
      _ = try await session.data(from: server.url("/", host: "localhost"))
      #expect(try await session.text(from: plain(server)).0 == "secret")
      session.invalidateAndCancel()
    }
  }
}
