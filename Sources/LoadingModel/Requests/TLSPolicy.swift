import Foundation

/// What one origin's connections must meet beyond the session's TLS settings.
package struct TLSPolicy: Sendable, Hashable {
  /// Which key exchanges are offered to TLS 1.2 servers; those of TLS 1.3 are all forward secret.
  package enum KeyExchange: Sendable, Hashable {
    case any
    /// ECDHE only.
    case forwardSecret
  }

  /// Whether the app may accept certificates that don't pass the evaluation.
  package enum Overrides: Sendable, Hashable {
    case allowed
    case denied
  }

  /// Wire number, 0x0301…0x0304; the session's own minimum counts if it is higher.
  package var minimumVersion: UInt16
  package var keyExchange: KeyExchange
  /// SHA-256 digests of SubjectPublicKeyInfos, one of which must be the server certificate's; none for any.
  package var leafPins: Set<Data>
  /// SHA-256 digests of SubjectPublicKeyInfos, one of which must be an authority's in the evaluated chain; none for any.
  package var authorityPins: Set<Data>
  package var overrides: Overrides
  /// Whether certificates of public authorities may be valid for as long only as these may issue them.
  package var limitsLifetimes: Bool
  /// Whether certificates of public authorities must have been published (RFC 6962).
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

  /// Asks for nothing more.
  package static let none = TLSPolicy()
}

/// The policy of each origin of a session.
package typealias TLSPolicyRule = @Sendable (Origin) -> TLSPolicy
