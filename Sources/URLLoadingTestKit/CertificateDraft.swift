import Crypto
import Foundation
import SwiftASN1
import X509

/// What goes into a certificate before it is signed.
struct CertificateDraft {
  struct Validity {
    let notBefore: Date
    let notAfter: Date

    /// A day around now, where nothing else is asked for.
    init(notBefore: Date? = nil, notAfter: Date? = nil) {
      let day: TimeInterval = 86400
      self.notBefore = notBefore ?? min(Date(timeIntervalSinceNow: -day), (notAfter ?? .distantFuture).addingTimeInterval(-day))
      self.notAfter = notAfter ?? max(Date(timeIntervalSinceNow: day), self.notBefore.addingTimeInterval(day))
    }
  }

  enum Purpose {
    case server, client, authority
  }

  var subject: String
  var key: P256.Signing.PrivateKey
  var hosts: [String] = []
  var purpose = Purpose.server
  var validity = Validity()

  init(subject: String, key: P256.Signing.PrivateKey) {
    self.subject = subject
    self.key = key
  }

  func name() throws -> DistinguishedName {
    try DistinguishedName {
      OrganizationName("URLLoadingTestKit")
      CommonName(subject)
    }
  }

  func signed(by issuerKey: P256.Signing.PrivateKey, issuer: DistinguishedName) throws -> Certificate {
    let publicKey = Certificate.PublicKey(key.publicKey)
    return try Certificate(
      version: .v3,
      serialNumber: Certificate.SerialNumber(),
      publicKey: publicKey,
      notValidBefore: validity.notBefore,
      notValidAfter: validity.notAfter,
      issuer: issuer,
      subject: try name(),
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try extensions(publicKey, issuerKey: Certificate.PublicKey(issuerKey.publicKey)),
      issuerPrivateKey: Certificate.PrivateKey(issuerKey))
  }

  private func extensions(_ publicKey: Certificate.PublicKey, issuerKey: Certificate.PublicKey) throws -> Certificate.Extensions {
    var list: [Certificate.Extension] = [
      try .init(SubjectKeyIdentifier(hash: publicKey), critical: false),
      try .init(AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuerKey).keyIdentifier), critical: false),
    ]
    switch purpose {
    case .authority:
      list.append(try .init(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true))
      list.append(try .init(KeyUsage(keyCertSign: true, cRLSign: true), critical: true))
    case .server, .client:
      list.append(try .init(BasicConstraints.notCertificateAuthority, critical: true))
      list.append(try .init(KeyUsage(digitalSignature: true), critical: true))
      list.append(try .init(ExtendedKeyUsage(purpose == .server ? [.serverAuth] : [.clientAuth]), critical: false))
    }
    if !hosts.isEmpty { list.append(try .init(SubjectAlternativeNames(hosts.map(CertificateDraft.generalName)), critical: false)) }
    return try Certificate.Extensions(list)
  }

  /// An address becomes an address entry, anything else a DNS name (RFC 5280, 4.2.1.6).
  private static func generalName(_ host: String) -> GeneralName {
    if let address = IPAddressBytes(host) { return .ipAddress(ASN1OctetString(contentBytes: address.bytes[...])) }
    return .dnsName(host)
  }
}
