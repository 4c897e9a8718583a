#if TestKit
  import Crypto
  import Foundation
  import ProtocolRules
  import SwiftASN1
  import X509

  /// The content of a certificate before it is signed.
  struct CertificateDraft {
    enum Purpose {
      case server, client, anything
      case authority(TestAuthorityTraits)
    }

    var subject: String
    var key: P256.Signing.PrivateKey
    var hosts: [String] = []
    var purpose = Purpose.server
    var validity = CertificateValidity()
    var demandsStaple = false
    /// The Certificate Transparency logs whose timestamps (SCTs) are embedded in the certificate.
    var logs: [TestTransparencyLog] = []
    private let serialNumber = Certificate.SerialNumber()

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
      let plain = try signed(by: issuerKey, issuer: issuer, timestamps: nil)
      guard !logs.isEmpty else { return plain }
      // A log signs the certificate without the extension that holds the timestamps (RFC 6962, 3.1), so the certificate is signed twice.
      let entry = try TestTransparencyLog.precertificate(Data(plain.serializeAsPEM().derBytes), issuerKey: issuerKey.publicKey)
      return try signed(by: issuerKey, issuer: issuer, timestamps: TestTransparencyLog.list(logs.map { try $0.timestamp(entry) }))
    }

    private func signed(
      by issuerKey: P256.Signing.PrivateKey, issuer: DistinguishedName, timestamps: [UInt8]?
    ) throws -> Certificate {
      let publicKey = Certificate.PublicKey(key.publicKey)
      return try Certificate(
        version: .v3,
        serialNumber: serialNumber,
        publicKey: publicKey,
        notValidBefore: validity.notBefore,
        notValidAfter: validity.notAfter,
        issuer: issuer,
        subject: try name(),
        signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try extensions(publicKey, issuerKey: Certificate.PublicKey(issuerKey.publicKey), timestamps),
        issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    }

    private func extensions(
      _ publicKey: Certificate.PublicKey, issuerKey: Certificate.PublicKey, _ timestamps: [UInt8]?
    ) throws -> Certificate.Extensions {
      var list: [Certificate.Extension] = [
        try .init(SubjectKeyIdentifier(hash: publicKey), critical: false),
        try .init(AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuerKey).keyIdentifier), critical: false),
      ]
      list += try purposeExtensions()
      // The TLS feature extension (RFC 7633) with TLS extension 5, status_request: clients have to insist on a stapled OCSP response.
      if demandsStaple { list.append(.init(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: [0x30, 0x03, 0x02, 0x01, 0x05])) }
      if let timestamps {
        let value = DERReader.element(0x04, timestamps)
        list.append(.init(oid: [1, 3, 6, 1, 4, 1, 11129, 2, 4, 2], critical: false, value: value[...]))
      }
      if !hosts.isEmpty { list.append(try .init(SubjectAlternativeNames(hosts.map(CertificateDraft.generalName)), critical: false)) }
      return try Certificate.Extensions(list)
    }

    private func purposeExtensions() throws -> [Certificate.Extension] {
      var usages: [ExtendedKeyUsage.Usage] = []
      switch purpose {
      case .authority(let traits): return try authorityExtensions(traits)
      case .server: usages = [.serverAuth]
      case .client: usages = [.clientAuth]
      case .anything: break
      }
      var list: [Certificate.Extension] = [
        try .init(BasicConstraints.notCertificateAuthority, critical: true), try .init(KeyUsage(digitalSignature: true), critical: true),
      ]
      if !usages.isEmpty { list.append(try .init(ExtendedKeyUsage(usages), critical: false)) }
      return list
    }

    private func authorityExtensions(_ traits: TestAuthorityTraits) throws -> [Certificate.Extension] {
      guard traits.isAuthority else { return [try .init(BasicConstraints.notCertificateAuthority, critical: true)] }
      var list: [Certificate.Extension] = [
        try .init(BasicConstraints.isCertificateAuthority(maxPathLength: traits.maximumPathLength), critical: true),
        try .init(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
      ]
      if !traits.permittedDomains.isEmpty {
        list.append(try .init(NameConstraints(permittedDNSDomains: traits.permittedDomains), critical: true))
      }
      return list
    }

    /// A general name for the subject alternative name: an iPAddress if `host` is an IP address, otherwise a dNSName (RFC 5280, 4.2.1.6).
    private static func generalName(_ host: String) -> GeneralName {
      if let address = IPAddressBytes(host) { return .ipAddress(ASN1OctetString(contentBytes: address.bytes[...])) }
      return .dnsName(host)
    }
  }
#endif
