import CLoadingBoringSSL
import Foundation

/// A key that encrypts and authenticates: AES-256-GCM, computed by NIOSSL's BoringSSL.
///
/// What is sealed is the nonce (12 bytes), the encrypted bytes and the tag (16 bytes): swift-crypto's and CryptoKit's
/// `AES.GCM.SealedBox.combined`. The key's bytes are erased when the last copy ends.
package struct SealingKey: Sendable {
  /// The length of a key in bytes.
  package static let length = Int(ULS_SEAL_KEY)
  private static let nonceLength = Int(ULS_SEAL_NONCE)
  private static let tagLength = Int(ULS_SEAL_TAG)

  /// The key's bytes, owned.
  private final class Storage: @unchecked Sendable {
    // @unchecked: written while it is made, and only read afterwards.
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

  /// A new key, at random.
  package init() { storage = Storage { uls_random($0, SealingKey.length) } }

  /// nil unless there are 32 bytes.
  package init?(_ bytes: some ContiguousBytes) {
    let storage: Storage? = bytes.withUnsafeBytes { bytes in
      guard bytes.count == SealingKey.length else { return nil }
      return Storage { UnsafeMutableRawBufferPointer(start: $0, count: SealingKey.length).copyMemory(from: bytes) }
    }
    guard let storage else { return nil }
    self.storage = storage
  }

  /// The key itself, to be stored.
  package var bytes: Data { Data(bytes: storage.bytes, count: SealingKey.length) }

  /// Encrypts `plain`, and authenticates other bytes with it, which stay where they are.
  ///
  /// - Returns: nil if there is too much to encrypt with one nonce: more than 64 GiB.
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

  /// nil if the bytes are damaged, or were sealed with another key or beside other bytes.
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
