import Foundation
import HTTPTransport
import LoadingModel

// Challenges of TLS: they come from a connection's handshake rather than from the load, and are offered to the load's delegates.

extension TaskLoad: PeerEvaluator {
  /// The task as evaluator of new connections' servers; nil if no delegate takes challenges.
  var peerEvaluator: (any PeerEvaluator)? { chain.mayAnswerChallenges ? self : nil }

  var decider: AnyObject? { chain.challengeTaker }

  func evaluate(_ trust: PeerTrust, _ answer: @escaping @Sendable (TrustAnswer) -> Void) {
    let presented = SecTrust(trust)
    ask(URLProtectionSpace(serverTrust: presented, port: trust.port), failures: 0) { disposition, credential in
      switch disposition {
      case .useCredential: answer(TaskLoad.vouches(credential, for: presented) ? .trusted : .standard)
      case .performDefaultHandling: answer(.standard)
      case .cancelAuthenticationChallenge: answer(.cancelled)
      case .rejectProtectionSpace: answer(.refused)
      }
    }
  }

  func identify(_ request: ClientCertificateRequest, _ answer: @escaping @Sendable (IdentityAnswer) -> Void) {
    let space = URLProtectionSpace(clientCertificateFor: request.host, port: request.port, issuers: request.acceptableIssuers)
    ask(space, failures: request.previousFailureCount) { disposition, credential in
      switch disposition {
      case .useCredential:
        guard let credential, let identity = credential.identity else { return answer(.none) }
        answer(.identity(TaskLoad.presented(identity, credential), isKept: credential.persistence != .none))
      case .performDefaultHandling, .rejectProtectionSpace: answer(.none)
      case .cancelAuthenticationChallenge: answer(.cancelled)
      }
    }
  }

  private func ask(
    _ space: URLProtectionSpace, failures: Int,
    then: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let (chain, session, task) = (chain, session, task)
    let challenge = URLAuthenticationChallenge(space: space, proposal: nil, failures: failures, response: nil)
    pump.post {
      chain.didReceiveChallenge(session, task, challenge) { answer in then(answer.0, answer.1) }
    }
  }

  /// Whether the credential is a trust, and in these very certificates: one kept from another server accepts nothing.
  private static func vouches(_ credential: URLCredential?, for presented: SecTrust) -> Bool {
    if case .trust(let trust)? = credential?.proof { trust == presented } else { false }
  }

  private static func presented(_ identity: SecIdentity, _ credential: URLCredential) -> ClientIdentity {
    // The credential's certificates count; those that came with the identity fill in where it has none.
    let given = credential.certificates.compactMap { $0 as? SecCertificate }
    let authorities = (given.isEmpty ? identity.intermediates : given).filter { $0 != identity.certificate }
    return ClientIdentity(chain: ([identity.certificate] + authorities).map(\.derRepresentation), privateKey: identity.privateKeyDER)
  }
}
