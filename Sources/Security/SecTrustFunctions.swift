import Dispatch
import Foundation
import HTTPTransport
import URLLoadingSystem

// Functions on a `SecTrust`, by Apple's names, for any thread. None uses the network: missing intermediate certificates
// aren't fetched, and revocation isn't looked up.

/// The outcome of an evaluation.
public enum SecTrustResultType: UInt32, Sendable {
  /// Not evaluated yet.
  case invalid = 0
  /// Trusted because exceptions were set for it.
  case proceed = 1
  /// Denied by the user; never given here.
  case deny = 3
  /// Trusted.
  case unspecified = 4
  /// Not trusted, but the app may decide otherwise.
  case recoverableTrustFailure = 5
  /// Not trusted: no certificate could be read.
  case fatalTrustFailure = 6
  /// The evaluation itself failed; never given here.
  case otherError = 7
}

/// Makes a trust of certificates, the one to evaluate first.
///
/// - Parameters:
///   - certificates: A `SecCertificate`, or an array of them.
///   - policies: A `SecPolicy`, or an array of them; nil for a basic check of the chain.
///   - trust: Receives the trust.
/// - Returns: `errSecParam` if there is no certificate.
public func SecTrustCreateWithCertificates(
  _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  let chain = (certificates as? [SecCertificate]) ?? (certificates as? SecCertificate).map { [$0] } ?? []
  guard !chain.isEmpty else { return errSecParam }
  let requirements = policies.map(SecPolicy.list)?.map(\.requirement) ?? [TrustRequirement(usage: .any, host: nil)]
  trust.pointee = SecTrust(chain: chain, requirements: requirements)
  return errSecSuccess
}

/// Evaluates the chain by the policies, anchors and date that are set.
///
/// - Parameter error: Receives the reason if the chain isn't trusted: code such as `errSecCertificateExpired`, and a description.
/// - Returns: Whether the chain is trusted.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
  let verdict = trust.verdict()
  if verdict.isTrusted || trust.hasException {
    error?.pointee = nil
    return true
  }
  error?.pointee = verdict.error(host: trust.host)
  return false
}

/// Evaluates the chain; the outdated form of `SecTrustEvaluateWithError`.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  _ = trust.verdict()
  return SecTrustGetTrustResult(trust, result)
}

/// Evaluates the chain and calls `result` on `queue`.
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping @Sendable (SecTrust, Bool, CFError?) -> Void
) -> OSStatus {
  queue.async {
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    result(trust, isTrusted, error)
  }
  return errSecSuccess
}

/// The outcome of the last evaluation; `.invalid` if there was none.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  result.pointee =
    switch trust.knownVerdict {
    case nil: .invalid
    case let verdict? where verdict.isTrusted: .unspecified
    case _? where trust.hasException: .proceed
    case let verdict? where verdict.result == .unreadable: .fatalTrustFailure
    case _?: .recoverableTrustFailure
    }
  return errSecSuccess
}

/// The verified chain, from the server's certificate to the anchor, if the evaluation trusts it; else the server's certificate and those of
/// authorities of which each has verifiably signed the one before, as far as they were sent or are anchors. Evaluates where that hasn't
/// happened.
///
/// Certificates that the server only sent aren't in it, so a pin may be looked for in it. A chain that fails a policy, is out of date or is
/// allowed by exceptions alone isn't trusted: its signatures are right, and nothing else of it is proved.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.certificates as NSArray }

/// The number of certificates of `SecTrustCopyCertificateChain`.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.certificates.count }

/// One certificate of `SecTrustCopyCertificateChain`; nil beyond the last.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: CFIndex) -> SecCertificate? {
  let chain = trust.certificates
  return chain.indices.contains(index) ? chain[index] : nil
}

/// The public key of the server's certificate, trusted or not; nil if it can't be read.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { trust.chain.first.flatMap(SecCertificateCopyKey) }

/// The same as `SecTrustCopyKey`, by its outdated name.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Sets the certificates that end a trusted chain, in place of the system's. An empty array trusts nothing; nil restores the system's.
///
/// - Parameter anchors: `SecCertificate` objects: authorities', or the server's own.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus {
  guard let anchors else {
    trust.change { terms in
      terms.anchors = nil
      terms.trustsAnchorsOnly = false
    }
    return errSecSuccess
  }
  guard let certificates = anchors as? [SecCertificate] else { return errSecParam }
  trust.change { terms in
    terms.anchors = certificates.map(\.derRepresentation)
    terms.trustsAnchorsOnly = true
  }
  return errSecSuccess
}

/// Whether the certificates of `SecTrustSetAnchorCertificates` are the only anchors; with false the system's count beside them. True where
/// none were set trusts nothing.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ isOnly: Bool) -> OSStatus {
  trust.change { $0.trustsAnchorsOnly = isOnly }
  return errSecSuccess
}

/// The certificates set by `SecTrustSetAnchorCertificates`; nil if the system's count.
public func SecTrustCopyCustomAnchorCertificates(
  _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  anchors.pointee = trust.terms.anchors.map { $0.map { SecCertificate(derRepresentation: $0) } as NSArray }
  return errSecSuccess
}

/// Sets what the chain must be good for, in place of what was set before: of a challenge, TLS with the host of the request.
///
/// - Parameter policies: A `SecPolicy`, or an array of them, all of which must be met.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
  let list = SecPolicy.list(policies)
  guard !list.isEmpty else { return errSecParam }
  trust.change { $0.requirements = list.map(\.requirement) }
  return errSecSuccess
}

/// The policies in force.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
  policies.pointee = trust.terms.requirements.map(SecPolicy.init) as NSArray
  return errSecSuccess
}

/// Sets the moment at which the chain must be valid, instead of now.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ date: CFDate) -> OSStatus {
  trust.change { $0.date = date as Date }
  return errSecSuccess
}

/// The moment of the evaluation.
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
  (trust.terms.date ?? Date()).timeIntervalSinceReferenceDate
}

/// Does nothing: evaluations never fetch anything.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ isAllowed: Bool) -> OSStatus { errSecSuccess }

/// What allows exactly these certificates for this host, whatever is wrong with them: to be stored, and set on a later trust.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? { trust.exceptionBytes as NSData }

/// Allows what `SecTrustCopyExceptions` gave; nil takes it back. Returns whether the exceptions are for these certificates.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
  let bytes = exceptions.map { $0 as Data }
  guard bytes == nil || bytes == trust.exceptionBytes else { return false }
  trust.change { $0.exceptions = bytes }
  return bytes != nil
}

extension SecTrust {
  fileprivate var exceptionBytes: Data {
    CertificateParts.sha256(chain.reduce(into: Data(host.utf8)) { $0 += $1.derRepresentation })
  }

  fileprivate var hasException: Bool { terms.exceptions == exceptionBytes }
}
