import CLoadingDigests
import Foundation

/// SHA-512/256 (FIPS 180-4, 6.7), which swift-crypto's BoringSSL computes but swift-crypto doesn't offer. A value: copies go on by themselves.
struct SHA512Part256: Sendable {
  /// BoringSSL's state, owned.
  private final class State: @unchecked Sendable {
    // @unchecked: changed only by a value that is its sole owner, and read to be copied.
    let context: UnsafeMutableRawPointer

    init() { context = uls_sha512_256_new() }
    init(copying other: State) { context = uls_sha512_256_copy(other.context) }
    deinit { uls_sha512_256_free(context) }
  }

  private var state = State()

  mutating func update(_ data: Data) {
    if !isKnownUniquelyReferenced(&state) { state = State(copying: state) }
    data.withUnsafeBytes { uls_sha512_256_update(state.context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
  }

  func finalized() -> [UInt8] {
    let last = State(copying: state)
    return [UInt8](unsafeUninitializedCapacity: ULS_SHA512_256_LENGTH) { digest, count in
      uls_sha512_256_finish(last.context, digest.baseAddress)
      count = ULS_SHA512_256_LENGTH
    }
  }
}
