import CLoadingBoringSSL
import Foundation
import LoadingModel
import NIOSSL

/// A certificate chain and its private key, with which a client authenticates itself in TLS. Never described or logged.
package struct ClientIdentity: Sendable {
  /// DER, the client's own certificate first.
  package let chain: [Data]
  /// DER (PKCS #8, PKCS #1 or SEC 1).
  package let privateKey: Data

  package init(chain: [Data], privateKey: Data) {
    self.chain = chain
    self.privateKey = privateKey
  }

  /// The identity in the form that NIOSSL presents. Throws if the certificate or the key can't be read.
  func presented() throws(LoadError) -> NIOSSLContextConfigurationOverride {
    do {
      var presented = NIOSSLContextConfigurationOverride()
      presented.certificateChain = try chain.map { .certificate(try NIOSSLCertificate(bytes: Array($0), format: .der)) }
      presented.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(privateKey), format: .der))
      return presented
    } catch {
      throw LoadError(.clientCertificateRejected, .secure, "the client's certificate or its private key can't be read")
    }
  }

  /// Passes the identity to BoringSSL in a QUIC handshake. Throws if the certificate or the key can't be read.
  func present(to ssl: UnsafeMutableRawPointer) throws(LoadError) {
    let pieces = chain.map { $0 as NSData }
    let key = privateKey as NSData
    let bytes = pieces.map { uls_tls_bytes(data: $0.bytes.assumingMemoryBound(to: UInt8.self), length: $0.length) }
    let keyBytes = uls_tls_bytes(data: key.bytes.assumingMemoryBound(to: UInt8.self), length: key.length)
    let isPresented = withExtendedLifetime((pieces, key)) { uls_tls_present(ssl, bytes, bytes.count, keyBytes) != 0 }
    guard isPresented else {
      throw LoadError(.clientCertificateRejected, .secure, "the client's certificate or its private key can't be read")
    }
  }

  /// The identity in a PKCS #12 archive; nil if it can't be opened with `passphrase`.
  package static func open(pkcs12 archive: Data, passphrase: String) -> ClientIdentity? {
    guard let bundle = try? NIOSSLPKCS12Bundle(buffer: Array(archive), passphrase: Array(passphrase.utf8)) else { return nil }
    guard let key = try? bundle.privateKey.derBytes, let chain = try? bundle.certificateChain.map({ Data(try $0.toDERBytes()) }),
      !chain.isEmpty
    else { return nil }
    return ClientIdentity(chain: chain, privateKey: Data(key))
  }

  /// Reads the identity from PEM: certificates, the client's own first, and a private key (in `key`, or in `pem` if that is nil). nil if either is
  /// missing or `passphrase` is wrong.
  package static func open(pem: Data, key: Data?, passphrase: String?) -> ClientIdentity? {
    guard let chain = PEMDocument.certificates(in: pem), !chain.isEmpty,
      let privateKey = PEMDocument.privateKey(in: key ?? pem, passphrase: passphrase)
    else { return nil }
    return ClientIdentity(chain: chain, privateKey: privateKey)
  }
}

extension ClientIdentity: CustomStringConvertible, CustomReflectable {
  package var description: String { "ClientIdentity" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
