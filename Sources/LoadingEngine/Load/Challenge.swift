import Foundation
import LoadingModel
import ProtocolRules

/// A question for a credential, in the engine's terms; the public layer makes a `URLAuthenticationChallenge` of it.
package struct Challenge: Sendable {
  package var space: ProtectionSpace
  package var evidence: Evidence
  /// A credential worth trying; with failures, the one that was tried in vain.
  package var proposed: Credential?
  /// Attempts of this request that have failed, over all its protection spaces.
  package var previousFailureCount: Int
  /// The 401 or 407; nil for questions of TLS.
  package var failureResponse: LoadResponse?
  package var error: LoadError?

  /// What comes with the question.
  package enum Evidence: Sendable {
    /// Nothing: a password is asked for.
    case none
    /// The certificates that the server presented, its own first, in DER.
    case serverCertificates([Data])
    /// Distinguished names, in DER, of the issuers whose certificates the server accepts; none for any.
    case acceptableIssuers([Data])
  }

  package init(
    _ space: ProtectionSpace, evidence: Evidence = .none, proposed: Credential? = nil, previousFailureCount: Int = 0,
    failureResponse: LoadResponse? = nil, error: LoadError? = nil
  ) {
    self.space = space
    self.evidence = evidence
    self.proposed = proposed
    self.previousFailureCount = previousFailureCount
    self.failureResponse = failureResponse
    self.error = error
  }
}

/// The app's answer to a challenge: the four dispositions of `URLSession.AuthChallengeDisposition`.
package enum ChallengeAnswer: Sendable {
  /// Continue with this credential; nil: without one.
  case use(Credential?)
  /// As if no delegate had been asked.
  case performDefaultHandling
  /// Give up the whole load.
  case cancel
  /// Refuse this space and be offered the next.
  case reject
}
