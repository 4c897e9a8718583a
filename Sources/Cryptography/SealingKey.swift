import CLoadingBoringSSL
import Foundation

/// A key for authenticated encryption with AES-256-GCM, computed by NIOSSL's BoringSSL.
///
/// The sealed form is the nonce (12 bytes), the encrypted bytes and the tag (16 bytes), as in `AES.GCM.SealedBox.combined` of swift-crypto and
/// CryptoKit. The key's bytes are erased when the last copy is released.
package struct SealingKey: Sendable {
  /// The length of a key in bytes.
  package static let length = Int(ULS_SEAL_KEY)
  private static let nonceLength = Int(ULS_SEAL_NONCE)
  private static let tagLength = Int(ULS_SEAL_TAG)

  /// Owns the key's bytes, and erases them at the end.
  private final class Storage: @unchecked Sendable {
    // @unchecked: written only by `init`, and only read afterwards.
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: SealingKey.length)

    init(_ write: (UnsafeMutablePointer<UInt8>) -> Void) {
      bytes.initialize(repeating: 0, count: SealingKey.length)
      write(bytes)
    }

    deinit {
      uls_erase(bytes, SealingKey.length)
      bytes.deallocate()
    }
  }

  private let storage: Storage

  /// Generates a new random key.
  package init() { storage = Storage { uls_random($0, SealingKey.length) } }

  /// A key from its bytes; nil unless there are 32.
  package init?(_ bytes: some ContiguousBytes) {
    let storage: Storage? = bytes.withUnsafeBytes { bytes in
      guard bytes.count == SealingKey.length else { return nil }
      return Storage { UnsafeMutableRawBufferPointer(start: $0, count: SealingKey.length).copyMemory(from: bytes) }
    }
    guard let storage else { return nil }
    self.storage = storage
  }

  /// The key's bytes, so that it can be stored.
  package var bytes: Data { Data(bytes: storage.bytes, count: SealingKey.length) }

  /// Encrypts `plain`. The tag also authenticates `other`, which isn't part of the result: `open` must be given the same bytes.
  ///
  /// - Returns: nil if `plain` has more bytes than one nonce may encrypt: 64 GiB.
  package func seal(_ plain: Data, authenticating other: Data) -> Data? {
    var sealed = [UInt8](repeating: 0, count: SealingKey.nonceLength + plain.count + SealingKey.tagLength)
    let isSealed = sealed.withUnsafeMutableBufferPointer { sealed in
      guard let start = sealed.baseAddress else { return false }
      uls_random(start, SealingKey.nonceLength)
      return plain.withUnsafeBytes { plain in
        other.withUnsafeBytes { other in
          uls_seal(
            storage.bytes, start, other.baseAddress, other.count, plain.baseAddress, plain.count, start + SealingKey.nonceLength) == 1
        }
      }
    }
    return isSealed ? Data(sealed) : nil
  }

  /// Decrypts what `seal` returned; nil if the bytes are damaged, or were sealed with another key or with other authenticated bytes.
  package func open(_ sealed: Data, authenticating other: Data) -> Data? {
    let overhead = SealingKey.nonceLength + SealingKey.tagLength
    guard sealed.count >= overhead else { return nil }
    var plain = [UInt8](repeating: 0, count: sealed.count - overhead)
    let isOpened = plain.withUnsafeMutableBufferPointer { plain in
      sealed.withUnsafeBytes { sealed in
        other.withUnsafeBytes { other in
          guard let start = sealed.bindMemory(to: UInt8.self).baseAddress else { return false }
          return uls_open(
            storage.bytes, start, other.baseAddress, other.count, start + SealingKey.nonceLength, sealed.count - SealingKey.nonceLength,
            plain.baseAddress) == 1
        }
      }
    }
    return isOpened ? Data(plain) : nil
  }
}
