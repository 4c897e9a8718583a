import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ConnectionAuthenticationTests {
  private func withDesk(
    _ desk: ConnectionLogin = ConnectionLogin(), _ body: (TestServer, URLSessionConfiguration) async throws -> Void
  ) async throws {
    try await Wire.plain.serve { server, configuration async throws in
      desk.attach(to: server)
      try await body(server, configuration)
    }
  }

  private func url(_ server: TestServer, _ user: String, _ path: String = "/") throws -> URL {
    try #require(URL(string: "http://\(user):p@127.0.0.1:\(server.port)\(path)"))
  }

  @Test func allLegsShareAConnectionWhichThenStaysLoggedIn() async throws {
    try await withDesk { server, configuration async throws in
      let delegate = ChallengeAnswerer("ann", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for path in ["/a", "/b", "/c"] { #expect(try await session.text(from: server.url(path)).0 == "ann") }
      #expect(delegate.asked.map(\.method) == [NSURLAuthenticationMethodNTLM])
      #expect(delegate.sessionLevelCount == 1)
      #expect(server.requests.map { $0.headers["Authorization"] != nil } == [false, true, true, false, false])
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func endOfTheSessionClosesTheConnectionThatIsLoggedIn() async throws {
    try await withDesk { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: url(server, "ann")).0 == "ann")
      session.finishTasksAndInvalidate()
      try await server.waitForConnections(open: 0)
    }
  }

  @Test func loginOnAConnectionThatAnExceptionAllowedServesNoOtherDelegate() async throws {
    try await TestServer.with(.https(TestCertificate.selfSigned())) { server async throws in
      ConnectionLogin().attach(to: server)
      let session = URLSession(configuration: .testing())
      let url = try #require(URL(string: "https://ann:p@127.0.0.1:\(server.port)/"))
      let accepting = ChallengeDelegate.accepting
      for _ in 0..<2 { #expect(try await session.data(from: url, delegate: accepting).0 == Data("ann".utf8)) }
      #expect(server.acceptedConnections == 1)
      let refusing = ChallengeDelegate(.performDefaultHandling)
      #expect(await errorCode { _ = try await session.data(from: url, delegate: refusing) } == URLError.serverCertificateUntrusted.rawValue)
      #expect(await errorCode { _ = try await session.data(from: url) } == URLError.serverCertificateUntrusted.rawValue)
      #expect(try await session.data(from: url, delegate: accepting).0 == Data("ann".utf8))
      #expect(accepting.trusts.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func noConnectionServesTwoUsers() async throws {
    try await withDesk { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      try await withThrowingTaskGroup(of: (String, String).self) { group in
        for index in 0..<60 {
          let user = ["ann", "bob", "cyd"][index % 3]
          let url = try url(server, user, "/\(index)")
          group.addTask { (user, try await session.text(from: url).0) }
        }
        for try await (user, served) in group { #expect(served == user) }
      }
      session.invalidateAndCancel()
    }
  }

  @Test func connectionsThatNobodyUsesMakeRoomForOthers() async throws {
    try await withDesk { server, configuration async throws in
      configuration.httpMaximumConnectionsPerHost = 1
      let session = URLSession(configuration: configuration)
      for user in ["ann", "bob", "ann"] { #expect(try await session.text(from: url(server, user)).0 == user) }
      session.invalidateAndCancel()
    }
  }

  @Test func bodyTravelsWithTheLastMessageOnly() async throws {
    try await withDesk { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let request = URLRequest("POST", try url(server, "ann"), body: Data("content".utf8))
      #expect(try await session.text(for: request).0 == "ann")
      #expect(server.requests.map(\.bodyLength) == [7, 0, 7])
      session.invalidateAndCancel()
    }
  }

  /// NTLM's first message comes without the body. Here a cookie that came with the refusal is all that the server wanted.
  @Test func serverThatNeedsNoAuthenticationAnyMoreGetsTheWholeRequest() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/*") { request in
        guard request.headers["Cookie"] == nil else {
          // The connection isn't there any more for what follows.
          return .fields("\(request.bodyLength)", request.headers["Authorization"] == nil ? [:] : ["Connection": "close"])
        }
        return Reply(401, headers: ["WWW-Authenticate": "NTLM", "Set-Cookie": "known=1"])
      }
      let session = URLSession(configuration: configuration)
      let request = URLRequest("POST", try url(server, "ann"), body: Data("content".utf8))
      #expect(try await session.text(for: request).0 == "7")
      #expect(server.requests.map(\.bodyLength) == [7, 0, 7])
      #expect(server.requests.map { $0.headers["Authorization"] != nil } == [false, true, false])
      session.invalidateAndCancel()
    }
  }

  /// One that lets nothing but the first message in isn't asked without end, and gets the body with it.
  @Test func serverThatTakesNothingButTheFirstMessageIsAskedTwice() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/*") { request in
        request.headers["Authorization"] == nil ? Reply(401, headers: ["WWW-Authenticate": "NTLM"]) : .text("\(request.bodyLength)")
      }
      let session = URLSession(configuration: configuration)
      let request = URLRequest("POST", try url(server, "ann"), body: Data("content".utf8))
      #expect(try await session.text(for: request).0 == "7")
      #expect(server.requests.map(\.bodyLength) == [7, 0, 7, 7])
      session.invalidateAndCancel()
    }
  }

  @Test func refusedPasswordIsAskedForAgain() async throws {
    try await withDesk { server, configuration async throws in
      let delegate = ChallengeAnswerer { challenge in
        (
          .useCredential,
          URLCredential(user: challenge.previousFailureCount == 0 ? "nobody" : "ann", password: "p", persistence: .forSession)
        )
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).0 == "ann")
      #expect(delegate.asked.map(\.failures) == [0, 1])
      session.invalidateAndCancel()
    }
  }

  @Test func credentialForOneRequestLeavesNoOpenDoor() async throws {
    try await withDesk { server, configuration async throws in
      let delegate = ChallengeAnswerer { challenge in
        (.useCredential, URLCredential(user: "ann", password: "p", persistence: .none))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).0 == "ann")
      #expect(try await session.text(from: server.url("/")).0 == "ann")
      #expect(delegate.asked.count == 2)
      #expect(Set(server.requests.map(\.connection.ordinal)).count == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [Reply.Framing.contentLength, .chunked])
  func longRefusalsKeepTheConnection(_ framing: Reply.Framing) async throws {
    try await withDesk(ConnectionLogin((.repeating(0x61, count: 300_000), framing))) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: url(server, "ann")).0 == "ann")
      #expect(server.requests.count == 3)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [Reply.Framing.contentLength, .chunked])
  func refusalTooLongToBeReadIsTheResponse(_ framing: Reply.Framing) async throws {
    let count = 5 * 1024 * 1024
    try await withDesk(ConnectionLogin((.repeating(0x61, count: count), framing))) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let (data, response) = try await session.data(from: url(server, "ann"))
      #expect((response as? HTTPURLResponse)?.statusCode == 401)
      #expect(data.count == count)
      session.invalidateAndCancel()
    }
  }

  @Test func loginThatBelongsToAConnectionStaysOnHTTP1() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      ConnectionLogin().attach(to: server)
      let session = URLSession(configuration: configuration, delegate: ChallengeAnswerer("ann", "p"), delegateQueue: nil)
      for path in ["/a", "/b"] { #expect(try await session.text(from: server.url(path)).0 == "ann") }
      #expect(server.requests.map(\.version) == ["HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"])
      session.invalidateAndCancel()
    }
  }
}
