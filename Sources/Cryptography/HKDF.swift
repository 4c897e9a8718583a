import Foundation

extension HashFunction {
  /// Extracts a key from a secret (HKDF-Extract, RFC 5869).
  package func extractedKey(from secret: some ContiguousBytes, salt: some ContiguousBytes) -> [UInt8] {
    authenticationCode(of: secret, key: salt)
  }

  /// Expands a key to `length` bytes (HKDF-Expand, RFC 5869): at most 255 times the length of a digest.
  package func expanded(_ key: [UInt8], info: String, length: Int) -> [UInt8] {
    var (result, block) = ([UInt8](), [UInt8]())
    for counter in 1...UInt8.max where result.count < length {
      block = authenticationCode(of: block + Array(info.utf8) + [counter], key: key)
      result += block
    }
    return Array(result.prefix(length))
  }
}
