import Foundation

/// An X.509 certificate. Immutable.
public final class SecCertificate: Hashable, Sendable {
  /// The certificate's bytes in DER.
  package let derRepresentation: Data

  package init(derRepresentation: Data) { self.derRepresentation = derRepresentation }

  /// Whether both certificates have the same DER bytes.
  public static func == (lhs: SecCertificate, rhs: SecCertificate) -> Bool { lhs.derRepresentation == rhs.derRepresentation }

  /// Hashes the certificate's bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(derRepresentation) }
}
