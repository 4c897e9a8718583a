import Cryptography
import Foundation
import HTTPTransport
import Security
import URLLoadingSystem

/// `--pinnedpubkey`: the public keys, one of which the server must have.
struct PinnedKeys: Sendable {
  /// SHA-256 of the keys as certificates have them (RFC 7469, 2.4).
  private let digests: Set<[UInt8]>
  /// Whether a server was refused.
  private let refused = Locked(false)

  var haveRefused: Bool { refused.value }

  /// The keys that the option names; nil if it isn't given.
  /// - Throws: If a file can't be read.
  init?(_ options: LoginOptions) throws(ToolFailure) {
    guard let argument = options.pinnedKey else { return nil }
    if let digests = PinnedKeys.digests(in: argument) {
      self.digests = digests
      return
    }
    guard let content = NamedContent.ofFile(argument) else {
      throw ToolFailure(.pinMismatch, "\(argument) can't be read; --pinnedpubkey takes a public key in PEM or DER, or sha256//…")
    }
    guard let key = PinnedKeys.der(content) else {
      throw ToolFailure(.pinMismatch, "\(argument) holds no public key; make one with openssl x509 -noout -pubkey -in certificate.pem")
    }
    digests = [HashFunction.sha256.hash(key)]
  }

  /// The digests in "sha256//BASE64;sha256//BASE64"; nil if that is the name of a file, empty if it makes no sense.
  static func digests(in text: String) -> Set<[UInt8]>? {
    guard text.hasPrefix("sha256//") else { return nil }
    let digests = text.split(separator: ";").map { $0.hasPrefix("sha256//") ? Data(base64Encoded: String($0.dropFirst(8))) : nil }
    return digests.allSatisfy { $0?.count == 32 } ? Set(digests.compactMap { $0.map(Array.init) }) : []
  }

  /// Whether the server's own certificate has one of the keys.
  func contain(_ trust: SecTrust) -> Bool {
    let leaf = (SecTrustCopyCertificateChain(trust) as? [SecCertificate])?.first
    let pin = leaf.flatMap { CertificateParts.pin(of: SecCertificateCopyData($0) as Data) }
    let isKnown = pin.map { digests.contains(Array($0)) } ?? false
    if !isKnown { refused.value = true }
    return isKnown
  }

  private static func der(_ content: Data) -> Data? {
    guard let begin = content.range(of: Data("-----BEGIN PUBLIC KEY-----".utf8)) else { return content.first == 0x30 ? content : nil }
    guard let end = content.range(of: Data("-----END PUBLIC KEY-----".utf8), in: begin.upperBound..<content.endIndex) else { return nil }
    return Data(base64Encoded: content[begin.upperBound..<end.lowerBound], options: .ignoreUnknownCharacters)
  }
}
