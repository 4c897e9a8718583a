import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A server that authenticates connections as NTLM does: whoever has logged in on one is let in there from then on.
///
/// It believes every password: what counts is on which connection who speaks.
private final class LoginDesk: Sendable {
  private let state = Mutex<(users: [Int: String], challenged: Set<Int>)>(([:], []))
  private let page: (body: Reply.Body, framing: Reply.Framing)

  /// - Parameter page: What comes with each refusal.
  init(_ page: (body: Reply.Body, framing: Reply.Framing) = (.text("denied"), .automatic)) { self.page = page }

  func attach(to server: TestServer) {
    server.route("/*") { [self] request in reply(request) }
  }

  private func reply(_ request: RecordedRequest) -> Reply {
    let connection = request.connection.ordinal
    guard let field = request.headers["Authorization"], field.hasPrefix("NTLM "),
      let message = Data(base64Encoded: String(field.dropFirst(5))),
      message.count > 12
    else {
      if let user = state.withLock({ $0.users[connection] }) { return .text(user) }
      return denied("NTLM")
    }
    if message[8] == 1 {
      state.withLock { state in
        state.users[connection] = nil
        state.challenged.insert(connection)
      }
      return denied("NTLM " + LoginDesk.challenge.base64EncodedString())
    }
    // The last message is of use only on the connection of the first.
    guard message[8] == 3, state.withLock({ $0.challenged.remove(connection) }) != nil, let user = LoginDesk.user(in: message) else {
      return denied("NTLM")
    }
    if user == "nobody" { return denied("NTLM") }
    state.withLock { $0.users[connection] = user }
    return .text(user)
  }

  private func denied(_ challenge: String) -> Reply {
    Reply(401, headers: ["WWW-Authenticate": challenge], body: page.body, framing: page.framing)
  }

  /// A CHALLENGE message (MS-NLMP, 2.2.1.2): Unicode and NTLM, without target information.
  private static let challenge: Data = {
    var message = Data("NTLMSSP\0".utf8)
    message.append(contentsOf: [2, 0, 0, 0])
    message.append(Data(count: 8))
    message.append(contentsOf: [1, 2, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    message.append(Data(count: 16))
    return message
  }()

  /// The user name of an AUTHENTICATE message (2.2.1.3).
  private static func user(in message: Data) -> String? {
    guard message.count > 44 else { return nil }
    let length = Int(message[36]) | Int(message[37]) << 8
    let offset = Int(message[40]) | Int(message[41]) << 8
    guard offset + length <= message.count else { return nil }
    return String(data: message[offset..<(offset + length)], encoding: .utf16LittleEndian)
  }
}

@Suite(.timeLimit(.minutes(1))) struct ConnectionAuthenticationTests {
  private func withDesk(
    _ desk: LoginDesk = LoginDesk(), _ body: (TestServer, URLSessionConfiguration) async throws -> Void
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
    try await withDesk(LoginDesk((.repeating(0x61, count: 300_000), framing))) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: url(server, "ann")).0 == "ann")
      #expect(server.requests.count == 3)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [Reply.Framing.contentLength, .chunked])
  func refusalTooLongToBeReadIsTheResponse(_ framing: Reply.Framing) async throws {
    let count = 5 * 1024 * 1024
    try await withDesk(LoginDesk((.repeating(0x61, count: count), framing))) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let (data, response) = try await session.data(from: url(server, "ann"))
      #expect((response as? HTTPURLResponse)?.statusCode == 401)
      #expect(data.count == count)
      session.invalidateAndCancel()
    }
  }
}
