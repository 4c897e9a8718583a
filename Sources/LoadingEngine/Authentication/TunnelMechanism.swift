import HTTPTransport
import LoadingModel
import ProtocolRules

/// The authentication (NTLM or Negotiate) with a proxy while a tunnel is opened. Lives for one tunnel; confined to the event loop.
///
/// It has a load context of its own, because the tunnel may still be opened for a load that has got another connection meanwhile.
final class TunnelMechanism: TunnelAuthenticator {
  private let space: ProtectionSpace
  private let signed: AuthorizedRequest
  private var mechanism: any AuthenticationMechanism
  /// A message that was computed before the tunnel's handshake, and is sent first; nil once it is sent, or if there was none.
  private var prepared: MechanismStep?

  /// Takes a mechanism whose first step has been made already.
  init(
    _ space: ProtectionSpace, _ signed: AuthorizedRequest, _ mechanism: any AuthenticationMechanism, _ prepared: MechanismStep,
    _ context: LoadContext
  ) {
    self.space = space
    self.signed = signed
    self.mechanism = ConnectionMechanisms.move(mechanism, to: TunnelMechanism.ownContext(like: context))
    self.prepared = prepared
  }

  /// Begins with a new mechanism; nil if there is none for this credential.
  init?(_ space: ProtectionSpace, _ signed: AuthorizedRequest, _ credential: Credential?, _ context: LoadContext) {
    let own = TunnelMechanism.ownContext(like: context)
    guard let mechanism = ConnectionMechanisms.make(space.method, credential, space.origin, own) else { return nil }
    self.space = space
    self.signed = signed
    self.mechanism = mechanism
  }

  private static func ownContext(like context: LoadContext) -> LoadContext {
    LoadContext(executor: context.executor, clock: context.clock, request: context.record.request, idleTimeout: context.idleTimeout)
  }

  func authorization(after refusal: ResponseHead?) async -> String? {
    if let step = prepared {
      prepared = nil
      return step.value
    }
    let own = refusal.flatMap { space.method.latestChallenge(from: .proxy, in: $0) }
    guard let challenge = own ?? (refusal == nil ? space.method.bareChallenge : nil) else { return nil }
    return await mechanism.respond(to: challenge, signed).value
  }

  func accepts(_ answer: ResponseHead) async -> Bool {
    guard let last = space.method.latestChallenge(from: .proxy, in: answer) else { return true }
    return await mechanism.accept(last)
  }
}

extension MechanismStep {
  var value: String? {
    switch self {
    case .needsMore(let value), .authorize(let value): value
    case .failed: nil
    }
  }
}

extension AuthenticationMethod {
  /// The challenge of a server that only offers the method, without a token; nil for methods that don't authenticate a connection.
  var bareChallenge: AuthenticateField? {
    switch self {
    case .ntlm: AuthenticateField(scheme: "ntlm")
    case .negotiate: AuthenticateField(scheme: "negotiate")
    case .basic, .digest, .clientCertificate, .serverTrust, .login: nil
    }
  }

  /// The challenge of `peer` for this method in a response; nil for methods that don't authenticate a connection, and if there is none.
  func latestChallenge(from peer: ProtectionSpace.Peer, in head: ResponseHead) -> AuthenticateField? {
    guard let scheme = bareChallenge?.scheme else { return nil }
    return AuthenticateField.all(peer.challengeField, in: head.headers).first { $0.scheme == scheme }
  }
}
