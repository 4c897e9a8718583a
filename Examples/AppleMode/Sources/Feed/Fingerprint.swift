import CryptoKit
import Foundation
import Security

/// What is pinned of a server: the digest of its leaf certificate.
public enum Fingerprint {
  public static func of(_ data: Data) -> String {
    SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
  }

  public static func of(_ trust: SecTrust) -> String? {
    guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let leaf = chain.first else { return nil }
    return of(SecCertificateCopyData(leaf) as Data)
  }
}
