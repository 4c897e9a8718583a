#if TestKit
  import Crypto
  import Foundation
  import NIOSSL
  import SwiftASN1
  import X509

  /// A certificate with its private key, for a test server or for a client that has to identify itself. Made by
  /// `TestCertificateAuthority`, or self-signed.
  public struct TestCertificate: Sendable {
    /// The certificate alone, in PEM.
    public let pem: Data
    /// The certificate followed by the certificates of the intermediate authorities, in PEM, as a server presents them.
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

    /// The same certificate presented without the intermediate authorities' certificates: a common mistake in server configurations.
    public var withoutIntermediates: TestCertificate {
      TestCertificate(pem: pem, chainPEM: pem, privateKeyPEM: privateKeyPEM, der: der)
    }

    /// The same certificate, presented with the intermediate authorities' certificates in the opposite order.
    public var withMisorderedIntermediates: TestCertificate {
      get throws {
        let all = try PEMDocument.parseMultiple(pemString: String(decoding: chainPEM, as: UTF8.self))
        let reordered = all.prefix(1) + all.dropFirst().reversed()
        let text = reordered.map { $0.pemString + "\n" }.joined()
        return TestCertificate(pem: pem, chainPEM: Data(text.utf8), privateKeyPEM: privateKeyPEM, der: der)
      }
    }

    /// A certificate that wasn't made by this kit. Throws if `chainPEM` doesn't begin with a certificate.
    ///
    /// - Parameters:
    ///   - chainPEM: The certificate, followed by those of intermediate authorities, in PEM.
    ///   - privateKeyPEM: The certificate's private key, in PEM.
    public init(chainPEM: Data, privateKeyPEM: Data) throws {
      guard let own = try PEMDocument.parseMultiple(pemString: String(decoding: chainPEM, as: UTF8.self)).first else {
        throw CocoaError(.fileReadCorruptFile)
      }
      self.init(
        pem: Data((own.pemString + "\n").utf8), chainPEM: chainPEM, privateKeyPEM: privateKeyPEM, der: Data(own.derBytes))
    }

    /// Certificate, intermediates and key in a PKCS #12 archive.
    public func pkcs12(passphrase: String) throws -> Data {
      let bundle = NIOSSLPKCS12Bundle(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(chainPEM)),
        privateKey: try NIOSSLPrivateKey(bytes: Array(privateKeyPEM), format: .pem))
      return Data(try bundle.serialize(passphrase: Array(passphrase.utf8)))
    }

    /// A certificate that is signed by its own key, and that no authority has issued.
    ///
    /// - Parameters:
    ///   - hosts: Host names and IP address literals that it is valid for.
    ///   - notBefore: Beginning of its validity; a day ago if nil.
    ///   - notAfter: End of its validity; in a day if nil.
    /// - Throws: If the key or the certificate can't be made, for example for a host name that isn't ASCII.
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
#endif
