import Foundation
import HTTPTransport
import URLLoadingSystem

/// What a chain of certificates must be good for. Immutable.
public final class SecPolicy: Hashable, Sendable {
  let requirement: TrustRequirement

  init(_ requirement: TrustRequirement) { self.requirement = requirement }

  /// A policy, or those in an array.
  static func list(_ policies: CFTypeRef) -> [SecPolicy] {
    (policies as? [SecPolicy]) ?? (policies as? SecPolicy).map { [$0] } ?? []
  }

  /// Whether both demand the same.
  public static func == (lhs: SecPolicy, rhs: SecPolicy) -> Bool { lhs.requirement == rhs.requirement }

  /// Hashes what is demanded.
  public func hash(into hasher: inout Hasher) { hasher.combine(requirement) }
}

/// TLS.
///
/// - Parameters:
///   - server: True to evaluate a server's certificate, false for a client's.
///   - hostname: The host name or address that it must be for; nil if any will do.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(TrustRequirement(usage: server ? .server : .client, host: hostname.map { $0 as String }))
}

/// A chain up to an anchor, and nothing about names or purposes.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(TrustRequirement(usage: .any, host: nil)) }
