import Cryptography
import Foundation

/// A hash function of the Digest scheme (RFC 7616, 6.1), strongest last.
package enum DigestAlgorithm: Int, Sendable, Comparable {
  case md5, sha256, sha512Part256

  package static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool { left.rawValue < right.rawValue }

  /// `H(data)`: the hash as lower-case hexadecimal digits (RFC 7616, 3.3).
  package func hash(_ text: String) -> String {
    var hashing = Hashing(self)
    hashing.update(Data(text.utf8))
    return hashing.finished()
  }

  private var function: HashFunction {
    switch self {
    case .md5: .md5
    case .sha256: .sha256
    case .sha512Part256: .sha512Part256
    }
  }

  /// A hash over data that comes in pieces, such as a body's.
  package struct Hashing: Sendable {
    private var hash: RunningHash

    package init(_ algorithm: DigestAlgorithm) { hash = RunningHash(algorithm.function) }

    package mutating func update(_ data: Data) { hash.update(data) }

    package func finished() -> String { hash.finalized().hexadecimal }
  }
}
