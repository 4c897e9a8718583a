import Cryptography
import Foundation
import HTTPTransport
import Security
import URLLoadingSystem

/// The public keys of `--pinnedpubkey`: the server must have one of them.
struct PinnedKeys: Sendable {
  /// SHA-256 of each key's SubjectPublicKeyInfo (RFC 7469, 2.4).
  private let digests: Set<[UInt8]>
  /// Whether a server was refused because of its key.
  private let refused = Locked(false)

  var haveRefused: Bool { refused.value }

  /// The keys that the option names; nil without the option.
  /// - Throws: If its file can't be read, or has no public key.
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

  /// The digests in "sha256//BASE64;sha256//BASE64"; nil if the text is the name of a file, empty if a digest is wrong.
  static func digests(in text: String) -> Set<[UInt8]>? {
    guard text.hasPrefix("sha256//") else { return nil }
    let digests = text.split(separator: ";").map { $0.hasPrefix("sha256//") ? Data(base64Encoded: String($0.dropFirst(8))) : nil }
    return digests.allSatisfy { $0?.count == 32 } ? Set(digests.compactMap { $0.map(Array.init) }) : []
  }

  /// Whether the server's certificate, the first of its chain, has one of the keys.
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
