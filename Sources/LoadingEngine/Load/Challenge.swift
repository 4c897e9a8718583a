import Foundation
import LoadingModel
import ProtocolRules

/// A request for a credential, in the engine's terms; the public layer makes a `URLAuthenticationChallenge` of it.
package struct Challenge: Sendable {
  package var space: ProtectionSpace
  package var evidence: Evidence
  /// A credential that may be right; after a failure, the one that was refused. nil if there is none.
  package var proposed: Credential?
  /// The number of attempts of this request that have failed, over all its protection spaces.
  package var previousFailureCount: Int
  /// The 401 or 407; nil for challenges of TLS.
  package var failureResponse: LoadResponse?
  package var error: LoadError?

  /// What the server presented with the challenge.
  package enum Evidence: Sendable {
    /// Nothing: the challenge asks for a password.
    case none
    /// The certificates that the server presented, in DER, its own first.
    case serverCertificates([Data])
    /// Distinguished names, in DER, of the issuers whose client certificates the server accepts; empty if it accepts any.
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
  /// Continue with this credential; nil means without one.
  case use(Credential?)
  /// Continue as if no delegate had been asked.
  case performDefaultHandling
  /// End the whole load with an error.
  case cancel
  /// Refuse this protection space, and continue with the next one that the server offers.
  case reject
}
