import Foundation
import HTTPTransport
import URLLoadingSystem

/// A certificate of its DER bytes; nil if they aren't one.
///
/// - Parameter allocator: Pass nil.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  let der = data as Data
  return CertificateParts.isCertificate(der) ? SecCertificate(derRepresentation: der) : nil
}

/// The certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { certificate.derRepresentation as NSData }

/// The public key; nil if it can't be read.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
  CertificateParts.part(.keyInfo, of: certificate.derRepresentation).map { SecKey(derRepresentation: $0) }
}

/// The same as `SecCertificateCopyKey`, by its outdated name.
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? { SecCertificateCopyKey(certificate) }

/// The subject in a few words: its common name, or else its organization.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  let der = certificate.derRepresentation
  return (CertificateParts.text(.commonName, of: der) ?? CertificateParts.text(.organization, of: der)) as NSString?
}

/// The subject's common name.
///
/// - Parameter commonName: Receives the name; nil if there is none.
@discardableResult
public func SecCertificateCopyCommonName(
  _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  commonName.pointee = CertificateParts.text(.commonName, of: certificate.derRepresentation) as NSString?
  return errSecSuccess
}

/// The serial number's bytes, big-endian.
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  CertificateParts.part(.serialNumber, of: certificate.derRepresentation) as NSData?
}

/// The issuer's distinguished name in DER, as the certificate has it.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
  CertificateParts.part(.issuer, of: certificate.derRepresentation) as NSData?
}

/// The subject's distinguished name in DER, as the certificate has it.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
  CertificateParts.part(.subject, of: certificate.derRepresentation) as NSData?
}

/// The beginning of the certificate's validity.
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
  CertificateParts.validity(of: certificate.derRepresentation).map { $0.lowerBound as NSDate }
}

/// The end of the certificate's validity.
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
  CertificateParts.validity(of: certificate.derRepresentation).map { $0.upperBound as NSDate }
}
