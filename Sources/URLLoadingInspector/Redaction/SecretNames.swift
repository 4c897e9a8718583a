#if Inspector
  /// Names of fields, parameters and keys whose values grant access.
  ///
  /// A name is compared without case, `-`, `_` and `.`: `X-Api-Key` and `api_key` end in the same word.
  struct SecretNames: Sendable {
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
    private let isOn: Bool

    init(adding names: some Sequence<String>, isOn: Bool = true) {
      added = Set(names.map { SecretNames.plain($0) })
      self.isOn = isOn
    }

    func contains(_ name: some StringProtocol) -> Bool {
      guard isOn, (2...SecretNames.lengthLimit).contains(name.utf8.count) else { return false }
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
#endif
