import Foundation
import LoadingModel

/// The certificates that a server presented in a handshake, with the terms of their trust evaluation.
package struct PeerTrust: PeerEvidence {
  package let host: String
  package let port: Int
  /// The certificates in DER as the server sent them, its own first; the others may be in any order, or unrelated.
  package let certificates: [Data]
  /// The trust anchors of the session.
  package let store: TrustStore

  package init(host: String, port: Int, certificates: [Data], store: TrustStore) {
    self.host = host
    self.port = port
    self.certificates = certificates
    self.store = store
  }
}

/// A client certificate that a server asks for.
package struct ClientCertificateRequest: Sendable {
  package let host: String
  package let port: Int
  /// Distinguished names, in DER, of the issuers whose certificates the server accepts; none for any.
  package let acceptableIssuers: [Data]
  /// The number of certificates from earlier answers that the server has rejected.
  package let previousFailureCount: Int
}

/// The app of a load, which evaluates servers and supplies client identities. Called on the session's event loop; each answer comes exactly once,
/// from any thread.
package protocol PeerEvaluator: AnyObject, Sendable {
  /// The delegate that answers, compared by identity: what it accepts against the evaluation serves its own loads alone. nil if it has been
  /// released.
  var decider: AnyObject? { get }
  func evaluate(_ trust: PeerTrust, _ answer: @escaping @Sendable (TrustAnswer) -> Void)
  func identify(_ request: ClientCertificateRequest, _ answer: @escaping @Sendable (IdentityAnswer) -> Void)
}

/// The app's decision about a server.
package enum TrustAnswer: Sendable {
  /// The server is accepted, whatever the evaluation says.
  case trusted
  /// The result of the standard evaluation decides.
  case standard
  /// The load ends as cancelled.
  case cancelled
  /// The load ends as if the evaluation had failed.
  case refused
}

/// The app's answer to a request for a client certificate.
package enum IdentityAnswer: Sendable {
  /// The identity is presented, and also used for the session's later connections to the origin if `isKept`.
  case identity(ClientIdentity, isKept: Bool)
  /// The handshake continues without one.
  case none
  /// The load ends as cancelled.
  case cancelled
}
