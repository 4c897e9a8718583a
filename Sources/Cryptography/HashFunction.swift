import CLoadingBoringSSL
import Foundation

/// A hash function, computed by NIOSSL's BoringSSL.
///
/// MD4, MD5 and SHA-1 are for protocols that demand them: NTLM, Digest and WebSocket's handshake, and checksums that others have published.
package enum HashFunction: Sendable, CaseIterable {
  case md4, md5, sha1, sha256, sha384, sha512, sha512Part256

  fileprivate var code: uls_hash {
    switch self {
    case .md4: ULS_MD4
    case .md5: ULS_MD5
    case .sha1: ULS_SHA1
    case .sha256: ULS_SHA256
    case .sha384: ULS_SHA384
    case .sha512: ULS_SHA512
    case .sha512Part256: ULS_SHA512_256
    }
  }

  /// The length of a digest in bytes.
  package var digestLength: Int { uls_hash_length(code) }

  /// The digest of `bytes`.
  package func hash(_ bytes: some ContiguousBytes) -> [UInt8] {
    var hash = RunningHash(self)
    hash.update(bytes)
    return hash.finalized()
  }

  /// The message authentication code of `bytes` (HMAC, RFC 2104).
  package func authenticationCode(of bytes: some ContiguousBytes, key: some ContiguousBytes) -> [UInt8] {
    bytes.withUnsafeBytes { bytes in
      key.withUnsafeBytes { key in
        digest { uls_hmac(code, key.baseAddress, key.count, bytes.baseAddress, bytes.count, $0) }
      }
    }
  }

  fileprivate func digest(_ write: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: digestLength)
    result.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { write(start) } }
    return result
  }
}

/// Computes a hash of bytes that come in pieces, such as those of a body. A value: copies continue independently.
package struct RunningHash: Sendable {
  /// Owns BoringSSL's state of the computation.
  private final class State: @unchecked Sendable {
    // @unchecked: changed only while a single value refers to it; otherwise it is only read, to be copied.
    let context: UnsafeMutableRawPointer

    init(_ function: HashFunction) { context = uls_hash_new(function.code) }
    init(copying other: State) { context = uls_hash_copy(other.context) }
    deinit { uls_hash_free(context) }
  }

  private let function: HashFunction
  private var state: State

  package init(_ function: HashFunction) {
    self.function = function
    state = State(function)
  }

  package mutating func update(_ bytes: some ContiguousBytes) {
    if !isKnownUniquelyReferenced(&state) { state = State(copying: state) }
    bytes.withUnsafeBytes { uls_hash_update(state.context, $0.baseAddress, $0.count) }
  }

  /// The digest of all bytes so far; more bytes may follow.
  package func finalized() -> [UInt8] {
    let last = State(copying: state)
    return function.digest { uls_hash_finish(last.context, $0) }
  }
}
