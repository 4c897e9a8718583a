import Foundation
import HTTPTransport
import URLLoadingSystem

/// Makes a certificate from its DER bytes; nil if they aren't a certificate.
///
/// - Parameter allocator: Pass nil.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  let der = data as Data
  return CertificateParts.isCertificate(der) ? SecCertificate(derRepresentation: der) : nil
}

/// The bytes of the certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { certificate.derRepresentation as NSData }

/// The certificate's public key; nil if it can't be read.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
  CertificateParts.part(.keyInfo, of: certificate.derRepresentation).map { SecKey(derRepresentation: $0) }
}

/// The older name of `SecCertificateCopyKey`.
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? { SecCertificateCopyKey(certificate) }

/// A short name of the certificate's subject: its common name, or if there is none its organization; nil without both.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  let der = certificate.derRepresentation
  return (CertificateParts.text(.commonName, of: der) ?? CertificateParts.text(.organization, of: der)) as NSString?
}

/// Reads the common name of the certificate's subject.
///
/// - Parameter commonName: Receives the name; nil if there is none.
@discardableResult
public func SecCertificateCopyCommonName(
  _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  commonName.pointee = CertificateParts.text(.commonName, of: certificate.derRepresentation) as NSString?
  return errSecSuccess
}

/// The bytes of the certificate's serial number, big-endian.
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  CertificateParts.part(.serialNumber, of: certificate.derRepresentation) as NSData?
}

/// The issuer's distinguished name in DER, unchanged from the certificate.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
  CertificateParts.part(.issuer, of: certificate.derRepresentation) as NSData?
}

/// The subject's distinguished name in DER, unchanged from the certificate.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
  CertificateParts.part(.subject, of: certificate.derRepresentation) as NSData?
}

/// The date from which the certificate is valid; nil if it can't be read.
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
  CertificateParts.validity(of: certificate.derRepresentation).map { $0.lowerBound as NSDate }
}

/// The date until which the certificate is valid; nil if it can't be read.
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
  CertificateParts.validity(of: certificate.derRepresentation).map { $0.upperBound as NSDate }
}
