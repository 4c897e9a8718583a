import Foundation

/// The requirements on one origin's connections, in addition to the session's TLS settings.
package struct TLSPolicy: Sendable, Hashable {
  /// Which key exchanges are offered to TLS 1.2 servers; those of TLS 1.3 are all forward secret.
  package enum KeyExchange: Sendable, Hashable {
    case any
    /// ECDHE only.
    case forwardSecret
  }

  /// Whether the app may accept certificates that don't pass the trust evaluation.
  package enum Overrides: Sendable, Hashable {
    case allowed
    case denied
  }

  /// The TLS version's number on the wire, 0x0301…0x0304; the session's own minimum counts if it is higher.
  package var minimumVersion: UInt16
  package var keyExchange: KeyExchange
  /// SHA-256 digests of public keys (SubjectPublicKeyInfo), one of which the server's own certificate must have; empty if any key will do.
  package var leafPins: Set<Data>
  /// SHA-256 digests of public keys (SubjectPublicKeyInfo), one of which an authority in the evaluated chain must have; empty if any key will do.
  package var authorityPins: Set<Data>
  package var overrides: Overrides
  /// Whether certificates of public authorities are refused if they are valid for longer than such authorities may issue them.
  package var limitsLifetimes: Bool
  /// Whether certificates of public authorities must be proven to be published (Certificate Transparency; RFC 6962).
  package var requiresTransparency: Bool

  package init(
    minimumVersion: UInt16 = 0, keyExchange: KeyExchange = .any, leafPins: Set<Data> = [], authorityPins: Set<Data> = [],
    overrides: Overrides = .allowed, limitsLifetimes: Bool = false, requiresTransparency: Bool = false
  ) {
    self.minimumVersion = minimumVersion
    self.keyExchange = keyExchange
    self.leafPins = leafPins
    self.authorityPins = authorityPins
    self.overrides = overrides
    self.limitsLifetimes = limitsLifetimes
    self.requiresTransparency = requiresTransparency
  }

  /// A policy without any requirement.
  package static let none = TLSPolicy()
}

/// Returns the TLS policy for each origin of a session.
package typealias TLSPolicyRule = @Sendable (Origin) -> TLSPolicy
