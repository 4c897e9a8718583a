import Foundation
import LoadingModel

/// What a server presented in one handshake, with the terms of its trust evaluation.
package struct PeerTrust: PeerEvidence {
  package let host: String
  package let port: Int
  /// As the server sent them, in DER, its own first; the others may be any, in any order.
  package let certificates: [Data]
  /// The session's anchors.
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
  /// Rejections of earlier answers.
  package let previousFailureCount: Int
}

/// The app behind a load, as far as it evaluates peers and provides client identities. Called on the session's event loop; answers come
/// from any thread, exactly once.
package protocol PeerEvaluator: AnyObject, Sendable {
  /// The delegate that answers, compared by identity: what it accepts against the evaluation serves its own loads alone. nil if it has been
  /// released.
  var decider: AnyObject? { get }
  func evaluate(_ trust: PeerTrust, _ answer: @escaping @Sendable (TrustAnswer) -> Void)
  func identify(_ request: ClientCertificateRequest, _ answer: @escaping @Sendable (IdentityAnswer) -> Void)
}

/// The app's decision about a server.
package enum TrustAnswer: Sendable {
  /// Accepted as it is.
  case trusted
  /// Whatever the evaluation says.
  case standard
  /// The load ends as cancelled.
  case cancelled
  /// The load ends as if the evaluation had failed.
  case refused
}

/// The app's answer to a request for a client certificate.
package enum IdentityAnswer: Sendable {
  /// Kept for the session's other connections to the same origin if `isKept`.
  case identity(ClientIdentity, isKept: Bool)
  /// The handshake continues without one.
  case none
  /// The load ends as cancelled.
  case cancelled
}
