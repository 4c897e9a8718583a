import Foundation

/// A public key. Immutable.
public final class SecKey: Hashable, Sendable {
  /// The key as a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7) in DER.
  package let derRepresentation: Data

  package init(derRepresentation: Data) { self.derRepresentation = derRepresentation }

  /// Whether both keys have the same DER bytes.
  public static func == (lhs: SecKey, rhs: SecKey) -> Bool { lhs.derRepresentation == rhs.derRepresentation }

  /// Hashes the key's bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(derRepresentation) }
}
