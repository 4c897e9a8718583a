import Cryptography
import Foundation

/// The digest that a body must have, in the form of `--checksum`: "sha256:HEX".
struct Checksum: Sendable, Equatable {
  enum Algorithm: String, Sendable, CaseIterable {
    case sha256, sha512, sha384, sha1, md5

    var function: HashFunction {
      switch self {
      case .sha256: .sha256
      case .sha512: .sha512
      case .sha384: .sha384
      case .sha1: .sha1
      case .md5: .md5
      }
    }

    /// Length of a digest in bytes.
    var length: Int { function.digestLength }
  }

  let algorithm: Algorithm
  /// The digest in hexadecimal, in lower case.
  let digest: String

  /// nil unless `text` is an algorithm, a colon, and as many hexadecimal digits as the algorithm's digests have.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased().replacing("-", with: "")),
      parts[1].utf8.count == 2 * algorithm.length,
      parts[1].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 })
    else { return nil }
    self.algorithm = algorithm
    digest = parts[1].lowercased()
  }
}

/// Computes a digest over bytes as they come.
struct StreamedDigest: Sendable {
  private var hash: RunningHash
  /// Bytes taken so far.
  private(set) var length: Int64 = 0

  init(_ algorithm: Checksum.Algorithm) { hash = RunningHash(algorithm.function) }

  mutating func update(_ data: Data) {
    length += Int64(data.count)
    hash.update(data)
  }

  /// Adds a file's bytes from the digest's present length up to `end`.
  /// - Returns: `errno` if reading fails; nil after success.
  mutating func update(from descriptor: Int32, upTo end: Int64) -> Int32? {
    while length < end {
      switch Descriptor.read(descriptor, at: length, count: Int(min(1 << 20, end - length))) {
      case .success(let data) where data.isEmpty: return EIO
      case .success(let data): update(data)
      case .failure(let failure): return failure.code
      }
    }
    return nil
  }

  /// The digest in hexadecimal, in lower case.
  var text: String { hash.finalized().hexadecimal }
}

extension Checksum {
  /// Appended to the name of a file whose digest is wrong.
  static let suffix = ".mismatch"

  static func mismatch(_ expected: Checksum, _ actual: String, keptAs name: String?) -> String {
    "the \(expected.algorithm.rawValue) of what came is \(actual), not \(expected.digest)" + (name.map { "; it is kept as \($0)" } ?? "")
  }
}
