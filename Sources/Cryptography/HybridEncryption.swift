import CLoadingBoringSSL
import Foundation

/// A suite of algorithms for hybrid public key encryption (HPKE, RFC 9180), by their IANA numbers.
package struct HybridSuite: Sendable, Hashable {
  /// The key encapsulation: 0x0010 (P-256) or 0x0020 (X25519).
  package let encapsulation: UInt16
  /// The key derivation: 1 (SHA-256) or 2 (SHA-384).
  package let derivation: UInt16
  /// The encryption: 1 (AES-128-GCM), 2 (AES-256-GCM) or 3 (ChaCha20-Poly1305).
  package let encryption: UInt16

  /// nil if one of the algorithms isn't supported.
  package init?(encapsulation: UInt16, derivation: UInt16, encryption: UInt16) {
    guard uls_hpke_key_length(encapsulation) > 0, uls_hpke_hash_length(derivation) > 0, uls_aead_key_length(encryption) > 0 else {
      return nil
    }
    (self.encapsulation, self.derivation, self.encryption) = (encapsulation, derivation, encryption)
  }

  /// The length in bytes of a recipient's public key, which is also that of the encapsulated secret; nil for an unknown algorithm.
  package static func keyLength(encapsulation: UInt16) -> Int? {
    let length = uls_hpke_key_length(encapsulation)
    return length > 0 ? length : nil
  }

  package var publicKeyLength: Int { uls_hpke_key_length(encapsulation) }
  /// The length in bytes of a key for the algorithm `encryption`.
  package var secretKeyLength: Int { uls_aead_key_length(encryption) }
  package static let nonceLength = Int(ULS_AEAD_NONCE)

  /// Encrypts `plain` with a key that both sides have; nil unless key and nonce have the right lengths.
  package func seal(_ plain: Data, key: [UInt8], nonce: [UInt8]) -> Data? {
    guard key.count == secretKeyLength, nonce.count == HybridSuite.nonceLength else { return nil }
    return HybridContext.output(plain.count + Int(ULS_AEAD_TAG), of: plain) { input, output in
      uls_aead_seal(encryption, key, nonce, input.baseAddress, input.count, output)
    }
  }

  /// Decrypts what `seal` returned; nil if the bytes are damaged, or key or nonce have the wrong length.
  package func open(_ sealed: Data, key: [UInt8], nonce: [UInt8]) -> Data? {
    guard key.count == secretKeyLength, nonce.count == HybridSuite.nonceLength else { return nil }
    return HybridContext.output(sealed.count - Int(ULS_AEAD_TAG), of: sealed) { input, output in
      uls_aead_open(encryption, key, nonce, input.baseAddress, input.count, output)
    }
  }
}

/// One side's context of HPKE in base mode: the sender encrypts messages, and the holder of the private key decrypts them in the same order.
package final class HybridContext {
  private let context: UnsafeMutableRawPointer
  /// The encapsulated secret, which the recipient needs in addition to its private key.
  package let encapsulated: Data

  /// The context of the sender; nil if `publicKey` isn't a valid key.
  package init?(_ suite: HybridSuite, to publicKey: Data, info: Data) {
    var encapsulated = [UInt8](repeating: 0, count: Int(ULS_HPKE_ENCAPSULATED_MAXIMUM))
    let made = publicKey.withUnsafeBytes { key in
      info.withUnsafeBytes { info in
        uls_hpke_sender(
          suite.encapsulation, suite.derivation, suite.encryption, key.bindMemory(to: UInt8.self).baseAddress, key.count, info.baseAddress,
          info.count, &encapsulated)
      }
    }
    guard let made else { return nil }
    context = made
    self.encapsulated = Data(encapsulated.prefix(suite.publicKeyLength))
  }

  /// The context of the recipient; nil if `privateKey` or `encapsulated` isn't valid.
  package init?(_ suite: HybridSuite, privateKey: Data, encapsulated: Data, info: Data) {
    let made = privateKey.withUnsafeBytes { key in
      encapsulated.withUnsafeBytes { encapsulated in
        info.withUnsafeBytes { info in
          uls_hpke_recipient(
            suite.encapsulation, suite.derivation, suite.encryption, key.bindMemory(to: UInt8.self).baseAddress, key.count,
            encapsulated.bindMemory(to: UInt8.self).baseAddress, encapsulated.count, info.baseAddress, info.count)
        }
      }
    }
    guard let made else { return nil }
    context = made
    self.encapsulated = encapsulated
  }

  deinit { uls_hpke_free(context) }

  /// Generates a recipient's pair of keys; nil for an unknown algorithm.
  package static func makeKeys(encapsulation: UInt16) -> (privateKey: Data, publicKey: Data)? {
    var keys = (
      [UInt8](repeating: 0, count: Int(ULS_HPKE_ENCAPSULATED_MAXIMUM)), [UInt8](repeating: 0, count: Int(ULS_HPKE_ENCAPSULATED_MAXIMUM))
    )
    let length = uls_hpke_make_keys(encapsulation, &keys.0, &keys.1)
    guard length > 0, let publicLength = HybridSuite.keyLength(encapsulation: encapsulation) else { return nil }
    return (Data(keys.0.prefix(length)), Data(keys.1.prefix(publicLength)))
  }

  /// Encrypts the next message; nil in a recipient's context.
  package func seal(_ plain: Data) -> Data? {
    HybridContext.output(plain.count + Int(ULS_AEAD_TAG), of: plain) { uls_hpke_seal(context, $0.baseAddress, $0.count, $1) }
  }

  /// Decrypts the next message; nil if it is damaged, and in a sender's context.
  package func open(_ sealed: Data) -> Data? {
    HybridContext.output(sealed.count - Int(ULS_AEAD_TAG), of: sealed, room: sealed.count) {
      uls_hpke_open(context, $0.baseAddress, $0.count, $1)
    }
  }

  /// A secret that both sides derive from the context, for another use (RFC 9180, 5.3); nil if that fails.
  package func export(_ label: String, length: Int) -> [UInt8]? {
    var secret = [UInt8](repeating: 0, count: length)
    return uls_hpke_export(context, label, label.utf8.count, &secret, length) == 1 ? secret : nil
  }

  /// `length` bytes that `write` computes from `input`; nil if it fails.
  fileprivate static func output(
    _ length: Int, of input: Data, room: Int? = nil, _ write: (UnsafeRawBufferPointer, UnsafeMutablePointer<UInt8>) -> Int32
  ) -> Data? {
    guard length >= 0 else { return nil }
    // At least one byte, because an empty array has no address.
    var output = [UInt8](repeating: 0, count: max(1, room ?? length))
    let isWritten = output.withUnsafeMutableBufferPointer { output in
      guard let start = output.baseAddress else { return false }
      return input.withUnsafeBytes { write($0, start) } == 1
    }
    return isWritten ? Data(output.prefix(length)) : nil
  }
}
