import Foundation
import HTTPTransport
import URLLoadingSystem

/// A set of options, each of which is a bit.
public typealias CFOptionFlags = UInt

/// Option of `SecPolicyCreateRevocation`: check revocation by OCSP (RFC 6960).
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// Option of `SecPolicyCreateRevocation`: check revocation by lists of revoked certificates (RFC 5280).
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// Option of `SecPolicyCreateRevocation`: check lists before OCSP.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// Option of `SecPolicyCreateRevocation`: the chain isn't trusted unless it is known that no certificate is revoked. Here only lists can show that
/// (`URLSessionConfiguration.revocationLists`, `SecTrust.setRevocationLists`).
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Option of `SecPolicyCreateRevocation`: make no requests to the network. This library never makes any for revocation.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// Option of `SecPolicyCreateRevocation`: check revocation by any method.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod

/// A policy that demands a chain up to an anchor whose certificates haven't been revoked.
///
/// With `kSecRevocationCRLMethod` the lists of the session or app are searched (`URLSessionConfiguration.revocationLists`,
/// `SecTrust.setRevocationLists`); OCSP isn't used and nothing is fetched. A certificate on a list isn't trusted (`errSecCertificateRevoked`). As on
/// Apple's platforms a chain passes if its status isn't known. With `kSecRevocationRequirePositiveResponse` it is then refused with
/// `errSecIncompleteCertRevocationCheck`: for each certificate below the anchor there must be a complete and current list that doesn't contain it.
///
/// - Parameter revocationFlags: `kSecRevocation…` options.
/// - Returns: nil if the options name no method, neither OCSP nor lists.
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
  guard revocationFlags & kSecRevocationUseAnyAvailableMethod != 0 else { return nil }
  var requirement = TrustRequirement(usage: .any, host: nil)
  requirement.revocation =
    revocationFlags & kSecRevocationRequirePositiveResponse == 0 ? .asked(options: revocationFlags) : .required(options: revocationFlags)
  return SecPolicy(requirement)
}
