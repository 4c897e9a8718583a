/// Names of fields, parameters and keys whose values grant access. Recordings leave the values out, and the tool masks them. Immutable.
///
/// A name is compared without case, `-`, `_` and `.`: `X-Api-Key` and `api_key` end in the same word.
package struct SecretNames: Sendable {
  /// What names of secrets end with.
  private static let endings: [[UInt8]] = [
    "password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "accesskey", "accesskeyid", "privatekey", "sessionid",
    "sessionkey", "credential", "credentials", "signature", "authorization", "cookie", "assertion", "jwt",
  ].map { Array($0.utf8) }
  /// Names that are too short to be an ending.
  private static let whole: [[UInt8]] = ["pwd", "pass", "sig", "auth", "otp", "pin", "sid", "cvv", "cvc", "psk", "jwk"].map {
    Array($0.utf8)
  }
  private static let lengthLimit = 128

  /// The app's, spelled for comparison.
  private let added: Set<String>
  private let lastBytes: LastBytes
  private let isOn: Bool

  /// - Parameters:
  ///   - names: Names beside those that are known.
  ///   - isOn: Whether any name is one of a secret.
  package init(adding names: some Sequence<String> = [], isOn: Bool = true) {
    added = Set(names.map { SecretNames.plain($0) })
    lastBytes = LastBytes(of: SecretNames.endings + SecretNames.whole + added.map { Array($0.utf8) })
    self.isOn = isOn
  }

  /// Whether the name is one of a secret.
  package func contains(_ name: String) -> Bool { isSecret(name) }

  package func contains(_ name: Substring) -> Bool { isSecret(name) }

  private func isSecret(_ name: some StringProtocol) -> Bool {
    guard isOn, (2...SecretNames.lengthLimit).contains(name.utf8.count), mayBeKnown(name) else { return false }
    // Called for each field of each head: nothing is allocated.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: SecretNames.lengthLimit) { room in
      var count = 0
      for byte in name.utf8 {
        guard let plain = SecretNames.plain(byte) else { continue }
        room[count] = plain
        count += 1
      }
      let bytes = UnsafeBufferPointer(rebasing: room[..<count])
      return SecretNames.isKnown(bytes) || !added.isEmpty && added.contains(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Whether the name ends as one of a secret does. Most names don't, and need no further look.
  private func mayBeKnown(_ name: some StringProtocol) -> Bool {
    let answer = name.utf8.withContiguousStorageIfAvailable { bytes in
      var (index, last) = (bytes.count - 1, UInt8?.none)
      while index >= 0 {
        if let plain = SecretNames.plain(bytes[index]) {
          if let last { return lastBytes.contains(plain, last) }
          last = plain
        }
        index -= 1
      }
      return last.map { lastBytes.contains(0, $0) } ?? false
    }
    return answer ?? true
  }

  private static func isKnown(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let last = name.last else { return false }
    for ending in endings where ending.last == last && ending.count <= name.count {
      let start = name.count - ending.count
      if ending.indices.allSatisfy({ name[start + $0] == ending[$0] }) { return true }
    }
    return whole.contains { $0.count == name.count && name.elementsEqual($0) }
  }

  /// The name without what spellings differ in.
  private static func plain(_ name: some StringProtocol) -> String { String(decoding: name.utf8.compactMap(plain), as: UTF8.self) }

  private static func plain(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: " "): nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }
}

/// The last two bytes of words; of a word of one byte, that byte behind 0. Contains more than it was made of, and never less.
private struct LastBytes: Sendable {
  /// A bit for the last byte, in the place of the one before it: the lower five bits of each.
  private var bits = [UInt32](repeating: 0, count: 32)

  init(of words: [[UInt8]]) {
    for word in words {
      guard let last = word.last else { continue }
      bits[Int((word.dropLast().last ?? 0) & 31)] |= 1 << UInt32(last & 31)
    }
  }

  func contains(_ first: UInt8, _ last: UInt8) -> Bool { bits[Int(first & 31)] & (1 << UInt32(last & 31)) != 0 }
}
