/// Names of fields, parameters and keys whose values grant access: recordings leave the values out, and the command-line tool masks them.
/// Immutable.
///
/// A name is compared case-insensitively and without `-`, `_`, `.` and spaces: `X-Api-Key` and `api_key` have the same ending.
package struct SecretNames: Sendable {
  /// A name with one of these endings is the name of a secret.
  private static let endings: [[UInt8]] = [
    "password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "accesskey", "accesskeyid", "privatekey", "secretkey",
    "authkey", "masterkey", "sharedkey", "signingkey", "encryptionkey", "accountkey", "subscriptionkey", "sessionid", "sessionkey",
    "credential", "credentials", "signature", "authorization", "cookie", "assertion", "jwt",
  ].map { Array($0.utf8) }
  /// A name that is equal to one of these is the name of a secret; as endings they would match too many other names.
  private static let whole: [[UInt8]] = ["pwd", "pass", "sig", "auth", "otp", "pin", "sid", "cvv", "cvc", "psk", "jwk"].map {
    Array($0.utf8)
  }
  private static let lengthLimit = 128

  /// The names that the app added, in the form for comparison (`plain`).
  private let added: Set<String>
  private let lastBytes: LastBytes
  private let isOn: Bool

  /// - Parameters:
  ///   - names: Names of secrets beside those that are built in.
  ///   - isOn: False if no name counts as that of a secret.
  package init(adding names: some Sequence<String> = [], isOn: Bool = true) {
    added = Set(names.map { SecretNames.plain($0) })
    lastBytes = LastBytes(of: SecretNames.endings + SecretNames.whole + added.map { Array($0.utf8) })
    self.isOn = isOn
  }

  /// Whether the name is that of a secret.
  package func contains(_ name: String) -> Bool { isSecret(name) }

  package func contains(_ name: Substring) -> Bool { isSecret(name) }

  private func isSecret(_ name: some StringProtocol) -> Bool {
    guard isOn, (2...SecretNames.lengthLimit).contains(name.utf8.count), mayBeKnown(name) else { return false }
    // Runs for each field of each head, so that it allocates no memory.
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

  /// Whether the last two letters of the name are those of a secret's name. Most names' aren't, and need no further comparison.
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

  /// The name in the form for comparison: lower case, without `-`, `_`, `.` and spaces.
  private static func plain(_ name: some StringProtocol) -> String { String(decoding: name.utf8.compactMap(plain), as: UTF8.self) }

  private static func plain(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: " "): nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }
}

/// A set of the last two bytes of words; of a word of one byte, that byte after a 0. `contains` may be true for bytes that weren't put in, but is
/// never false for those that were.
private struct LastBytes: Sendable {
  /// Indexed by the lower five bits of the byte before the last; the bit's number is the lower five bits of the last byte.
  private var bits = [UInt32](repeating: 0, count: 32)

  init(of words: [[UInt8]]) {
    for word in words {
      guard let last = word.last else { continue }
      bits[Int((word.dropLast().last ?? 0) & 31)] |= 1 << UInt32(last & 31)
    }
  }

  func contains(_ first: UInt8, _ last: UInt8) -> Bool { bits[Int(first & 31)] & (1 << UInt32(last & 31)) != 0 }
}
