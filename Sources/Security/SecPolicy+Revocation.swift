import Foundation
import HTTPTransport
import URLLoadingSystem

/// A set of options, by bits.
public typealias CFOptionFlags = UInt

/// Option of `SecPolicyCreateRevocation`: revocation by OCSP (RFC 6960).
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// Option of `SecPolicyCreateRevocation`: revocation by lists (RFC 5280).
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// Option of `SecPolicyCreateRevocation`: lists before OCSP.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// Option of `SecPolicyCreateRevocation`: without word that no certificate is revoked, the chain isn't trusted. Lists give
/// that word (`URLSessionConfiguration.revocationLists`, `SecTrust.setRevocationLists`), and nothing else here.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Option of `SecPolicyCreateRevocation`: no requests to the network. None are ever made here.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// Option of `SecPolicyCreateRevocation`: any method.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod

/// A chain up to an anchor whose certificates haven't been revoked.
///
/// It is looked for in the lists that the session or the app has given (`URLSessionConfiguration.revocationLists`, `SecTrust.setRevocationLists`), where
/// `kSecRevocationCRLMethod` is set; nothing is asked by OCSP or fetched. A certificate that a list has isn't trusted (`errSecCertificateRevoked`). As
/// on Apple's platforms a chain of which that isn't known passes; with `kSecRevocationRequirePositiveResponse` it is refused, with
/// `errSecIncompleteCertRevocationCheck`, unless a list that is up to date and complete says of each certificate below the anchor that it isn't revoked.
///
/// - Parameter revocationFlags: `kSecRevocation…` options.
/// - Returns: nil without a method: neither OCSP nor lists.
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
  guard revocationFlags & kSecRevocationUseAnyAvailableMethod != 0 else { return nil }
  var requirement = TrustRequirement(usage: .any, host: nil)
  requirement.revocation =
    revocationFlags & kSecRevocationRequirePositiveResponse == 0 ? .asked(options: revocationFlags) : .required(options: revocationFlags)
  return SecPolicy(requirement)
}
