import Crypto
import Foundation

/// A hash function of the Digest scheme (RFC 7616, 6.1), strongest last.
package enum DigestAlgorithm: Int, Sendable, Comparable {
  case md5, sha256, sha512Part256

  package static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool { left.rawValue < right.rawValue }

  /// `H(data)`: the hash as lower-case hexadecimal digits (3.3).
  package func hash(_ text: String) -> String {
    var hashing = Hashing(self)
    hashing.update(Data(text.utf8))
    return hashing.finished()
  }

  /// A hash over data that comes in pieces, such as a body's.
  package struct Hashing: Sendable {
    private enum State: Sendable {
      case md5(Insecure.MD5)
      case sha256(SHA256)
      case sha512Part256(SHA512Part256)
    }

    private var state: State

    package init(_ algorithm: DigestAlgorithm) {
      switch algorithm {
      case .md5: state = .md5(Insecure.MD5())
      case .sha256: state = .sha256(SHA256())
      case .sha512Part256: state = .sha512Part256(SHA512Part256())
      }
    }

    package mutating func update(_ data: Data) {
      switch state {
      case .md5(var hash):
        hash.update(data: data)
        state = .md5(hash)
      case .sha256(var hash):
        hash.update(data: data)
        state = .sha256(hash)
      case .sha512Part256(var hash):
        hash.update(data)
        state = .sha512Part256(hash)
      }
    }

    package func finished() -> String {
      switch state {
      case .md5(let hash): Hashing.hexadecimal(hash.finalize())
      case .sha256(let hash): Hashing.hexadecimal(hash.finalize())
      case .sha512Part256(let hash): Hashing.hexadecimal(hash.finalized())
      }
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
      let digits = Array("0123456789abcdef".utf8)
      return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
  }
}
