import Foundation
import HTTPTransport
import LoadingModel
import URLLoadingSystem

/// A result code of the Security functions; `errSecSuccess` is 0.
public typealias OSStatus = Int32

/// Success: no error.
public let errSecSuccess: OSStatus = 0
/// The function isn't implemented here.
public let errSecUnimplemented: OSStatus = -4
/// A parameter isn't valid.
public let errSecParam: OSStatus = -50
/// There isn't enough memory; never returned here.
public let errSecAllocate: OSStatus = -108
/// There is no keychain; never returned here.
public let errSecNotAvailable: OSStatus = -25291
/// The item exists already; never returned here.
public let errSecDuplicateItem: OSStatus = -25299
/// The data can't be decoded, such as an empty PKCS #12 archive.
public let errSecDecode: OSStatus = -26275
/// The passphrase is wrong.
public let errSecAuthFailed: OSStatus = -25293
/// The passphrase of a PKCS #12 archive is wrong. `SecPKCS12Import` returns `errSecAuthFailed` instead.
public let errSecPkcs12VerifyFailure: OSStatus = -25264
/// There is no such item; never returned here.
public let errSecItemNotFound: OSStatus = -25300
/// The certificate is for another host.
public let errSecHostNameMismatch: OSStatus = -67602
/// The certificate has expired.
public let errSecCertificateExpired: OSStatus = -67818
/// The certificate isn't valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819
/// A policy demands proof that the certificate hasn't been revoked, and there is none.
public let errSecIncompleteCertRevocationCheck: OSStatus = -67635
/// The certificate has been revoked.
public let errSecCertificateRevoked: OSStatus = -67820
/// The certificate isn't trusted, for a reason that has no status of its own here.
public let errSecNotTrusted: OSStatus = -67843
/// The bytes aren't a certificate.
public let errSecUnknownFormat: OSStatus = -25257

/// A description of a status in a few words; nil for statuses that this library doesn't use.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  let text: String? =
    switch status {
    case errSecSuccess: "No error."
    case errSecUnimplemented: "Function or operation not implemented."
    case errSecParam: "One or more parameters passed to a function were not valid."
    case errSecDecode: "Unable to decode the provided data."
    case errSecAuthFailed, errSecPkcs12VerifyFailure: "The passphrase isn't correct."
    case errSecItemNotFound: "The item could not be found."
    case errSecHostNameMismatch: "A host name mismatch has occurred."
    case errSecCertificateExpired: "The certificate has expired."
    case errSecCertificateNotValidYet: "The certificate is not yet valid."
    case errSecIncompleteCertRevocationCheck: "An incomplete certificate revocation check occurred."
    case errSecCertificateRevoked: "The certificate has been revoked."
    case errSecNotTrusted: "The certificate isn't trusted."
    default: nil
    }
  return text as NSString?
}

extension TrustVerdict {
  /// The status that corresponds to the verdict.
  var status: OSStatus {
    switch result {
    case .trusted: errSecSuccess
    case .revocationUnknown: errSecIncompleteCertRevocationCheck
    case .expired: errSecCertificateExpired
    case .notYetValid: errSecCertificateNotValidYet
    case .wrongHost: errSecHostNameMismatch
    case .revoked: errSecCertificateRevoked
    case .selfSigned, .unknownAuthority, .missingIssuer, .weakKey, .weakSignature, .unpinned, .livesTooLong, .unpublished, .stapleMissing,
      .unreadable, .untrusted:
      errSecNotTrusted
    }
  }

  /// The verdict as an error, with a status code, a description, and as underlying error the `URLError` with which a connection would end; nil if it
  /// is trusted.
  func error(host: String) -> CFError? {
    guard let reason: LoadError = error(host: host.isEmpty ? "the server" : host) else { return nil }
    return NSError(
      domain: NSOSStatusErrorDomain, code: Int(status),
      userInfo: [
        NSLocalizedDescriptionKey: reason.message,
        NSUnderlyingErrorKey: NSError(domain: NSURLErrorDomain, code: reason.kind.rawValue),
      ])
  }
}
