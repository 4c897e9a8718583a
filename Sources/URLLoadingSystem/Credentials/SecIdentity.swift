import Foundation

/// A certificate and the private key that belongs to it. Immutable.
public final class SecIdentity: Hashable, Sendable {
  package let certificate: SecCertificate
  /// The private key in DER. It is never archived, described or compared.
  package let privateKeyDER: Data

  package init(certificate: SecCertificate, privateKeyDER: Data) {
    self.certificate = certificate
    self.privateKeyDER = privateKeyDER
  }

  /// Whether both are for the same certificate.
  public static func == (lhs: SecIdentity, rhs: SecIdentity) -> Bool { lhs.certificate == rhs.certificate }

  /// Hashes the certificate.
  public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}

extension SecIdentity: CustomReflectable {
  /// The certificate only: the key stays out of logs.
  public var customMirror: Mirror { Mirror(self, children: ["certificate": certificate]) }
}
