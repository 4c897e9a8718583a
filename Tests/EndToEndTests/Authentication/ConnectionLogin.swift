import Foundation
import LoadingModel
import URLLoadingTestKit

/// A server that authenticates connections as NTLM does: a connection on which a user has logged in is let in from then on.
///
/// It accepts every password: what counts is which user is logged in on which connection.
final class ConnectionLogin: Sendable {
  private let state = Mutex<(users: [Int: String], challenged: Set<Int>)>(([:], []))
  private let page: (body: Reply.Body, framing: Reply.Framing)
  private let fields: HeaderList

  /// - Parameters:
  ///   - page: What comes with each refusal.
  ///   - fields: What comes with the name of each user that is let in.
  init(_ page: (body: Reply.Body, framing: Reply.Framing) = (.text("denied"), .automatic), fields: HeaderList = [:]) {
    (self.page, self.fields) = (page, fields)
  }

  func attach(to server: TestServer) {
    server.route("/*") { [self] request in reply(request) }
  }

  /// The options of a proxy that authenticates its clients.
  func proxyOptions() -> TestProxy.Options {
    var options = TestProxy.Options()
    options.converse = { [self] connection, authorization in
      switch judge(connection, authorization) {
      case .granted: .letIn
      case .denied(let challenge): .asks(challenge: challenge)
      }
    }
    return options
  }

  private enum Verdict {
    case granted(String)
    case denied(String)
  }

  private func reply(_ request: RecordedRequest) -> Reply {
    switch judge(request.connection.ordinal, request.headers["Authorization"]) {
    case .granted(let user): .fields(user, fields)
    case .denied(let challenge):
      Reply(401, headers: ["WWW-Authenticate": challenge], body: page.body, framing: page.framing)
    }
  }

  private func judge(_ connection: Int, _ authorization: String?) -> Verdict {
    guard let field = authorization, field.hasPrefix("NTLM "), let message = Data(base64Encoded: String(field.dropFirst(5))),
      message.count > 12
    else {
      if let user = state.withLock({ $0.users[connection] }) { return .granted(user) }
      return .denied("NTLM")
    }
    if message[8] == 1 {
      state.withLock { state in
        state.users[connection] = nil
        state.challenged.insert(connection)
      }
      return .denied("NTLM " + ConnectionLogin.challenge.base64EncodedString())
    }
    // The last message is of use only on the connection of the first.
    guard message[8] == 3, state.withLock({ $0.challenged.remove(connection) }) != nil, let user = ConnectionLogin.user(in: message) else {
      return .denied("NTLM")
    }
    if user == "nobody" { return .denied("NTLM") }
    state.withLock { $0.users[connection] = user }
    return .granted(user)
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
