import HTTPTransport
import LoadingModel
import ProtocolRules

/// NTLM or Negotiate with a proxy while a tunnel is opened. Lives for one tunnel; confined to the event loop.
///
/// The tunnel may be opened for a load that has got another connection meanwhile: the authentication has a load context of its own.
final class TunnelMechanism: TunnelAuthenticator {
  private let space: ProtectionSpace
  private let signed: AuthorizedRequest
  private var mechanism: any AuthenticationMechanism
  /// A message that was made before the tunnel's handshake; sent first.
  private var prepared: MechanismStep?

  /// One whose first step has been made.
  init(
    _ space: ProtectionSpace, _ signed: AuthorizedRequest, _ mechanism: any AuthenticationMechanism, _ prepared: MechanismStep,
    _ context: LoadContext
  ) {
    self.space = space
    self.signed = signed
    self.mechanism = ConnectionMechanisms.move(mechanism, to: TunnelMechanism.ownContext(like: context))
    self.prepared = prepared
  }

  /// One that is to begin; nil if there can't be one with this credential.
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
  /// The challenge of a server that offers the method and sends nothing more; nil for methods that aren't a connection's.
  var bareChallenge: AuthenticateField? {
    switch self {
    case .ntlm: AuthenticateField(scheme: "ntlm")
    case .negotiate: AuthenticateField(scheme: "negotiate")
    case .basic, .digest, .clientCertificate, .serverTrust, .login: nil
    }
  }

  /// What a response says about a method of the connection's.
  func latestChallenge(from peer: ProtectionSpace.Peer, in head: ResponseHead) -> AuthenticateField? {
    guard let scheme = bareChallenge?.scheme else { return nil }
    return AuthenticateField.all(peer.challengeField, in: head.headers).first { $0.scheme == scheme }
  }
}
