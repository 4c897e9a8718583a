import Foundation
import HTTPTransport
import URLLoadingSystem

/// The requirements that a chain of certificates must meet, such as a purpose and a host. Immutable.
public final class SecPolicy: Hashable, Sendable {
  let requirement: TrustRequirement

  init(_ requirement: TrustRequirement) { self.requirement = requirement }

  /// Converts a policy, or an array of policies, to an array; empty for anything else.
  static func list(_ policies: CFTypeRef) -> [SecPolicy] {
    (policies as? [SecPolicy]) ?? (policies as? SecPolicy).map { [$0] } ?? []
  }

  /// Whether both policies have the same requirements.
  public static func == (lhs: SecPolicy, rhs: SecPolicy) -> Bool { lhs.requirement == rhs.requirement }

  /// Hashes the policy's requirements.
  public func hash(into hasher: inout Hasher) { hasher.combine(requirement) }
}

/// A policy for TLS: the chain must be valid for a server or client, and for a host.
///
/// - Parameters:
///   - server: True to evaluate a server's certificate, false for a client's.
///   - hostname: The host name or address for which the certificate must be valid; nil to accept any.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(TrustRequirement(usage: server ? .server : .client, host: hostname.map { $0 as String }))
}

/// A policy that only demands a chain up to an anchor; names and purposes aren't checked.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(TrustRequirement(usage: .any, host: nil)) }
