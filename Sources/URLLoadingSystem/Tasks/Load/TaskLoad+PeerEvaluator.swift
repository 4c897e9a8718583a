import Foundation
import HTTPTransport
import LoadingModel

// TLS challenges (server trust, client certificate): they come from a connection's handshake, and are offered to the delegates of the load that it is
// for.

extension TaskLoad: PeerEvaluator {
  /// The task as evaluator of the servers of new connections; nil if no delegate implements `didReceive challenge`.
  var peerEvaluator: (any PeerEvaluator)? { chain.mayAnswerChallenges ? self : nil }

  var decider: AnyObject? { chain.challengeTaker }

  func evaluate(_ trust: PeerTrust, _ answer: @escaping @Sendable (TrustAnswer) -> Void) {
    let presented = SecTrust(trust)
    let space = URLProtectionSpace(serverTrust: presented, port: trust.port)
    ask(URLAuthenticationChallenge(space: space, proposal: nil, failures: 0, response: nil)) { disposition, credential in
      switch disposition {
      case .useCredential: answer(credential?.vouches(for: presented) == true ? .trusted : .standard)
      case .performDefaultHandling: answer(.standard)
      case .cancelAuthenticationChallenge: answer(.cancelled)
      case .rejectProtectionSpace: answer(.refused)
      }
    }
  }

  func identify(_ request: ClientCertificateRequest, _ answer: @escaping @Sendable (IdentityAnswer) -> Void) {
    let space = URLProtectionSpace(clientCertificateFor: request.host, port: request.port, issuers: request.acceptableIssuers)
    let challenge = URLAuthenticationChallenge(space: space, proposal: nil, failures: request.previousFailureCount, response: nil)
    ask(challenge) { disposition, credential in
      switch disposition {
      case .useCredential:
        guard let credential, let identity = credential.clientIdentity else { return answer(.none) }
        answer(.identity(identity, isKept: credential.persistence != .none))
      case .performDefaultHandling, .rejectProtectionSpace: answer(.none)
      case .cancelAuthenticationChallenge: answer(.cancelled)
      }
    }
  }
}
