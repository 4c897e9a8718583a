import Cryptography
import Foundation
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
    guard let content = FileManager.default.contents(atPath: argument) else {
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
    guard let leaf = (SecTrustCopyCertificateChain(trust) as? [SecCertificate])?.first,
      let key = DERReader.publicKey(ofCertificate: SecCertificateCopyData(leaf) as Data)
    else {
      refused.value = true
      return false
    }
    let isKnown = digests.contains(HashFunction.sha256.hash(key))
    if !isKnown { refused.value = true }
    return isKnown
  }

  private static func der(_ content: Data) -> Data? {
    guard let begin = content.range(of: Data("-----BEGIN PUBLIC KEY-----".utf8)) else { return content.first == 0x30 ? content : nil }
    guard let end = content.range(of: Data("-----END PUBLIC KEY-----".utf8), in: begin.upperBound..<content.endIndex) else { return nil }
    return Data(base64Encoded: content[begin.upperBound..<end.lowerBound], options: .ignoreUnknownCharacters)
  }
}

/// Reads just enough of DER to find a certificate's public key. Pure.
enum DERReader {
  /// SubjectPublicKeyInfo (RFC 5280, 4.1), with its tag and length; nil if the certificate isn't one.
  static func publicKey(ofCertificate der: Data) -> Data? {
    var certificate = [UInt8](der)[...]
    guard var outer = content(of: &certificate, tag: 0x30), var fields = content(of: &outer, tag: 0x30) else { return nil }
    // The version is left out where it is the first.
    if fields.first == 0xA0 { _ = element(&fields) }
    // Serial number, signature, issuer, validity, subject.
    for _ in 0..<5 where element(&fields) == nil { return nil }
    return element(&fields).map { Data($0) }
  }

  private static func content(of bytes: inout ArraySlice<UInt8>, tag: UInt8) -> ArraySlice<UInt8>? {
    guard bytes.first == tag, let whole = element(&bytes) else { return nil }
    let header = whole.count > 1 && whole[whole.startIndex + 1] & 0x80 != 0 ? 2 + Int(whole[whole.startIndex + 1] & 0x7F) : 2
    return whole.dropFirst(header)
  }

  /// The next element with its tag and length.
  private static func element(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.count >= 2 else { return nil }
    var length = Int(bytes[bytes.startIndex + 1])
    var header = 2
    if length & 0x80 != 0 {
      let count = length & 0x7F
      guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
      length = bytes[(bytes.startIndex + 2)..<(bytes.startIndex + 2 + count)].reduce(0) { $0 << 8 | Int($1) }
      header += count
    }
    guard bytes.count >= header + length else { return nil }
    defer { bytes = bytes.dropFirst(header + length) }
    return bytes.prefix(header + length)
  }
}
