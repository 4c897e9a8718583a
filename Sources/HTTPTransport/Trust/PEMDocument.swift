import Foundation
import NIOSSL

/// Certificates and keys in PEM (RFC 7468).
package enum PEMDocument {
  /// Every certificate in `pem`, in DER; nil if one of them can't be read.
  package static func certificates(in pem: Data) -> [Data]? {
    guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(pem)) else { return nil }
    return try? certificates.map { Data(try $0.toDERBytes()) }
  }

  /// The first private key in `pem`, in DER; nil if there is none or `passphrase` doesn't open it.
  package static func privateKey(in pem: Data, passphrase: String?) -> Data? {
    let bytes = Array(pem)
    let key: NIOSSLPrivateKey?
    if let passphrase {
      key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) { set in set(Array(passphrase.utf8)) }
    } else {
      // Without a callback, BoringSSL would ask at the terminal.
      key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) { set in set([]) }
    }
    return key.flatMap { try? Data($0.derBytes) }
  }
}
