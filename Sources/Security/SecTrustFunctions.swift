import Dispatch
import Foundation
import HTTPTransport
import URLLoadingSystem

// Functions on a `SecTrust`, with Apple's names; thread-safe. None uses the network: missing intermediate certificates aren't fetched, and revocation
// is only checked by lists that were given.

/// The result of an evaluation.
public enum SecTrustResultType: UInt32, Sendable {
  /// Not evaluated yet.
  case invalid = 0
  /// The chain fails the evaluation, but exceptions were set that allow it.
  case proceed = 1
  /// Denied by the user; never returned here.
  case deny = 3
  /// The chain is trusted.
  case unspecified = 4
  /// The chain isn't trusted, but the app may decide to accept it.
  case recoverableTrustFailure = 5
  /// The chain isn't trusted: no certificate could be read.
  case fatalTrustFailure = 6
  /// The evaluation itself failed; never returned here.
  case otherError = 7
}

/// Makes a trust object from certificates, of which the first is the one to evaluate.
///
/// - Parameters:
///   - certificates: A `SecCertificate`, or an array of them.
///   - policies: A `SecPolicy`, or an array of them; nil for a basic check of the chain.
///   - trust: Receives the trust object.
/// - Returns: `errSecSuccess`, or `errSecParam` if there is no certificate.
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
/// - Parameter error: Receives an error if the chain isn't trusted, with a code such as `errSecCertificateExpired`, and a description.
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

/// Evaluates the chain; the older form of `SecTrustEvaluateWithError`.
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

/// Gets the result of the last evaluation; `.invalid` if there was none since the trust was made or changed.
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

/// The verified chain, from the server's certificate to the anchor, if the evaluation trusts it; otherwise the server's certificate and those
/// authorities, sent or anchors, each of which has verifiably signed the one before. Evaluates the trust if that hasn't been done.
///
/// Other certificates that the server sent are left out, so that pins can be compared with this chain. A chain that fails a policy, is out of date,
/// or is allowed only by exceptions isn't trusted: its signatures have been verified, and nothing else.
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

/// The older name of `SecTrustCopyKey`.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Sets the anchors, the certificates at which a trusted chain may end, instead of the session's or system's. An empty array trusts nothing; nil
/// restores them.
///
/// - Parameter anchors: `SecCertificate` objects: authorities' certificates, or the server's own.
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

/// Sets whether the certificates of `SecTrustSetAnchorCertificates` are the only anchors. False trusts the session's or system's anchors as well;
/// true trusts nothing if no anchors were set.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ isOnly: Bool) -> OSStatus {
  trust.change { $0.trustsAnchorsOnly = isOnly }
  return errSecSuccess
}

/// Gets the anchors set by `SecTrustSetAnchorCertificates`; nil if none were set.
public func SecTrustCopyCustomAnchorCertificates(
  _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  anchors.pointee = trust.terms.anchors.map { $0.map { SecCertificate(derRepresentation: $0) } as NSArray }
  return errSecSuccess
}

/// Sets the policies of the evaluation, replacing those set before. The trust of a challenge begins with TLS for the request's host.
///
/// - Parameter policies: A `SecPolicy`, or an array of them, all of which must be met.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
  let list = SecPolicy.list(policies)
  guard !list.isEmpty else { return errSecParam }
  trust.change { $0.requirements = list.map(\.requirement) }
  return errSecSuccess
}

/// Gets the policies of the evaluation.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
  policies.pointee = trust.terms.requirements.map(SecPolicy.init) as NSArray
  return errSecSuccess
}

/// Sets the date at which the chain must be valid, instead of the present.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ date: CFDate) -> OSStatus {
  trust.change { $0.date = date as Date }
  return errSecSuccess
}

/// The date at which the chain must be valid: the one that was set, or else the present; in seconds since 2001.
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
  (trust.terms.date ?? Date()).timeIntervalSinceReferenceDate
}

/// Does nothing: evaluations never fetch anything from the network.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ isAllowed: Bool) -> OSStatus { errSecSuccess }

/// Data that identifies these certificates and this host. Set as exceptions on a later trust, it allows exactly them, whatever is wrong with them.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? { trust.exceptionBytes as NSData }

/// Sets the data of `SecTrustCopyExceptions` as exceptions, which allow the chain; nil removes them. Returns whether the data is for these
/// certificates and this host.
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
