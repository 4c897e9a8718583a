import CLoadingNames
import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// Creates the mechanisms of several messages, by scheme, with random bytes, the time and the system's GSSAPI library.
enum ConnectionMechanisms {
  /// Those of `offers` that can be answered on this machine. The look for the system's library blocks, and is done on another thread.
  static func supported(_ offers: [AuthenticationOffer]) async -> [AuthenticationOffer] {
    let hasLibrary = offers.contains { $0.method == .negotiate } ? await runBlocking { uls_negotiation_available() != 0 } : false
    return offers.filter { offer in
      switch offer.method {
      case .basic, .digest, .ntlm: true
      case .negotiate: hasLibrary
      case .clientCertificate, .serverTrust, .login: false
      }
    }
  }

  /// A new mechanism; nil if the credential doesn't fit it. No credential means the system's own login.
  static func make(
    _ method: AuthenticationMethod, _ credential: Credential?, _ origin: Origin, _ context: LoadContext
  ) -> (any AuthenticationMechanism)? {
    switch method {
    case .ntlm:
      guard let login = credential?.login else { return nil }
      return NTLMMechanism(
        user: login.user, password: login.password, clientChallenge: (0..<8).map { _ in UInt8.random(in: .min ... .max) }, now: Date())
    case .negotiate:
      guard credential == nil || credential?.login != nil else { return nil }
      return NegotiateMechanism(host: origin.serverName, credential, context)
    case .basic, .digest, .clientCertificate, .serverTrust, .login: return nil
    }
  }

  /// `mechanism`, to be continued by the load of `context`.
  static func move(_ mechanism: any AuthenticationMechanism, to context: LoadContext) -> any AuthenticationMechanism {
    guard var negotiation = mechanism as? NegotiateMechanism else { return mechanism }
    negotiation.context = context
    return negotiation
  }
}
