import CLoadingNames
import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// Negotiate (RFC 4559): SPNEGO through the system's GSSAPI, for the service `HTTP@host`. Nothing is delegated to the server.
///
/// The library reads files and asks the key distribution centre, so that each step runs on a thread that may block. A load that is interrupted,
/// or whose step takes too long, continues without the result.
struct NegotiateMechanism: AuthenticationMechanism {
  /// The most seconds of one step: a key distribution centre that doesn't answer must not hold up a load that could continue without it.
  private static let stepLimit = 10.0

  private enum State {
    case fresh
    /// The library expects another token from the server.
    case waiting
    case established
    case over
  }

  private let negotiation: Negotiation
  /// The context of the load that waits for each step.
  var context: LoadContext
  private var state = State.fresh

  /// - Parameter credential: The name and password of a principal; nil for the tickets that the user has.
  init(host: String, _ credential: Credential?, _ context: LoadContext) {
    negotiation = Negotiation(service: "HTTP@\(host)", login: credential?.login)
    self.context = context
  }

  var isConnectionBound: Bool { true }

  mutating func respond(to challenge: AuthenticateField, _ request: AuthorizedRequest) async -> MechanismStep {
    let before = state
    state = .over
    let token = challenge.token68.map { Data(base64Encoded: $0) }
    switch (before, token) {
    case (.fresh, nil): return await step(with: Data())
    case (.waiting, .some(.some(let token))): return await step(with: token)
    // The server has sent a token out of sequence, or no token, which means that it refuses.
    case (.fresh, _?), (.waiting, _), (.established, _), (.over, _): return .failed
    }
  }

  mutating func accept(_ challenge: AuthenticateField) async -> Bool {
    // A server that sends no token in its final response has accepted the request all the same: RFC 4559, 5 lets it leave the token out where the
    // mechanism needs none.
    guard case .waiting = state, let text = challenge.token68 else { return true }
    guard let token = Data(base64Encoded: text), case .done = await advance(with: token) else { return false }
    state = .established
    return true
  }

  private mutating func step(with token: Data) async -> MechanismStep {
    switch await advance(with: token) {
    case .continues(let answer):
      state = .waiting
      return .needsMore(NegotiateMechanism.value(answer))
    case .done(let answer?):
      state = .established
      return .authorize(NegotiateMechanism.value(answer))
    case .done(nil), .failed: return .failed
    }
  }

  private static func value(_ token: Data) -> String { "Negotiate " + token.base64EncodedString() }

  private func advance(with token: Data) async -> Negotiation.Outcome {
    let negotiation = negotiation
    return await NegotiationThreads.shared.run(context, seconds: NegotiateMechanism.stepLimit) { negotiation.advance(with: token) }
      ?? .failed
  }
}

/// The GSSAPI context of one authentication. Its calls block.
private final class Negotiation: @unchecked Sendable {
  // @unchecked: `handle` is used by one step at a time, because each is awaited before the next; a step that was given up fails the
  // authentication and so is the last. `deinit` runs after it, because it holds the object. The rest is immutable.

  enum Outcome: Sendable {
    case continues(Data)
    case done(Data?)
    case failed
  }

  private let service: String
  private let login: (user: String, password: String)?
  private var handle: OpaquePointer?

  init(service: String, login: (user: String, password: String)?) {
    self.service = service
    self.login = login
  }

  deinit { if let handle { uls_negotiation_end(handle) } }

  func advance(with token: Data) -> Outcome {
    if handle == nil { handle = uls_negotiation_begin(service, login?.user, login?.password, nil, 0) }
    guard let handle else { return .failed }
    var output: UnsafeMutablePointer<UInt8>?
    var length = 0
    let status = Array(token).withUnsafeBufferPointer {
      uls_negotiation_step(handle, $0.baseAddress, $0.count, &output, &length, nil, 0)
    }
    defer { free(output) }
    let answer = output.map { Data(bytes: $0, count: length) }
    switch status {
    case ULS_NEGOTIATION_DONE: return .done(answer)
    // The library waits for the server, but has no token to send to it: over HTTP the authentication can't continue so.
    case ULS_NEGOTIATION_CONTINUES: return answer.map { .continues($0) } ?? .failed
    default: return .failed
    }
  }
}
