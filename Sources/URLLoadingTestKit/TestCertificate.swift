import Crypto
import Foundation
import X509

/// A certificate with its private key, for a test server or for a client that has to identify itself. Made by
/// `TestCertificateAuthority`, or self-signed.
public struct TestCertificate: Sendable {
  /// The certificate alone, in PEM.
  public let pem: Data
  /// The certificate followed by the intermediate authorities' certificates, in PEM: what a server presents.
  public let chainPEM: Data
  /// The P-256 private key in PEM (PKCS #8).
  public let privateKeyPEM: Data
  /// The certificate in DER.
  public let der: Data

  init(_ certificate: Certificate, key: P256.Signing.PrivateKey, intermediates: [Certificate]) throws {
    let document = try certificate.serializeAsPEM()
    der = Data(document.derBytes)
    pem = Data((document.pemString + "\n").utf8)
    chainPEM = try intermediates.reduce(pem) { $0 + Data((try $1.serializeAsPEM().pemString + "\n").utf8) }
    privateKeyPEM = Data((key.pemRepresentation + "\n").utf8)
  }

  private init(pem: Data, chainPEM: Data, privateKeyPEM: Data, der: Data) {
    self.pem = pem
    self.chainPEM = chainPEM
    self.privateKeyPEM = privateKeyPEM
    self.der = der
  }

  /// The same certificate presented without those of the intermediate authorities: a common mistake of server set-ups.
  public var withoutIntermediates: TestCertificate {
    TestCertificate(pem: pem, chainPEM: pem, privateKeyPEM: privateKeyPEM, der: der)
  }

  /// A certificate that no authority vouches for, valid for the default hosts and period unless others are given.
  ///
  /// Throws if the key or the certificate can't be made, for example for a host name that isn't ASCII.
  public static func selfSigned(
    hosts: [String] = TestCertificateAuthority.loopbackHosts, notBefore: Date? = nil, notAfter: Date? = nil
  ) throws -> TestCertificate {
    let key = P256.Signing.PrivateKey()
    var draft = CertificateDraft(subject: hosts.first ?? "self-signed", key: key)
    draft.hosts = hosts
    draft.validity = .init(notBefore: notBefore, notAfter: notAfter)
    let certificate = try draft.signed(by: key, issuer: draft.name())
    return try TestCertificate(certificate, key: key, intermediates: [])
  }
}
