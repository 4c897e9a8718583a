/// A list of ECH configurations, which say how to encrypt a ClientHello; HTTPS records and servers deliver it (ECHConfigList; RFC 9849, 4). At
/// least one configuration can be used.
package struct EncryptedHelloKeys: Sendable, Hashable {
  /// The complete list as received, including configurations that can't be used.
  package let bytes: [UInt8]
  /// The public name of the first usable configuration: the unencrypted server name, of the server that decrypts.
  package let publicName: String

  /// The configuration version that RFC 9849 defines.
  private static let version: UInt16 = 0xFE0D
  /// The algorithms of HPKE that are supported (RFC 9180, 7): DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, AES-256-GCM and
  /// ChaCha20Poly1305.
  private static let kem: UInt16 = 0x0020
  private static let kdf: UInt16 = 0x0001
  private static let aeads: ClosedRange<UInt16> = 0x0001...0x0003

  /// nil for a list that is malformed, or has no configuration that can be used.
  package init?(_ bytes: [UInt8]) {
    var reader = BigEndianReader(bytes)
    guard let length = reader.integer16(), Int(length) == reader.remaining, length > 0 else { return nil }
    var usable: String?
    while !reader.isAtEnd {
      guard let version = reader.integer16(), var content = reader.part16() else { return nil }
      // RFC 9849, 4.2: clients "MUST ignore" configurations of other versions.
      guard version == EncryptedHelloKeys.version else { continue }
      guard let configuration = Configuration(&content) else { return nil }
      if usable == nil, configuration.isUsable { usable = configuration.name }
    }
    guard let usable else { return nil }
    (self.bytes, publicName) = (bytes, usable)
  }

  /// The parsed ECHConfigContents of one configuration.
  private struct Configuration {
    let name: String
    let isUsable: Bool

    /// nil if the contents are malformed.
    init?(_ reader: inout BigEndianReader) {
      guard reader.byte() != nil, let kem = reader.integer16(), let key = reader.part16(), key.remaining > 0,
        let suites = reader.part16(), let hasSuite = Configuration.hasSuite(suites), reader.byte() != nil,
        let length = reader.byte(), length > 0, let bytes = reader.array(Int(length)), let extensions = reader.part16(),
        let demands = Configuration.hasMandatory(extensions), reader.isAtEnd
      else { return nil }
      name = String(decoding: bytes, as: UTF8.self)
      isUsable = kem == EncryptedHelloKeys.kem && hasSuite && !demands && Configuration.isName(bytes)
    }

    /// Whether one of the listed pairs of KDF and AEAD is supported; nil if the list is malformed.
    private static func hasSuite(_ list: BigEndianReader) -> Bool? {
      var reader = list
      guard reader.remaining > 0 else { return nil }
      var found = false
      while !reader.isAtEnd {
        guard let kdf = reader.integer16(), let aead = reader.integer16() else { return nil }
        if kdf == EncryptedHelloKeys.kdf, EncryptedHelloKeys.aeads.contains(aead) { found = true }
      }
      return found
    }

    /// Whether the list has a mandatory extension: the client supports none (RFC 9849, 4.2). nil if the list is malformed.
    private static func hasMandatory(_ list: BigEndianReader) -> Bool? {
      var reader = list
      var found = false
      while !reader.isAtEnd {
        guard let type = reader.integer16(), reader.part16() != nil else { return nil }
        if type & 0x8000 != 0 { found = true }
      }
      return found
    }

    /// Whether the public name is valid. RFC 9849, 4: "a dot-separated sequence of LDH labels", whose last label isn't a number, so that it can't
    /// be taken for an IPv4 address.
    private static func isName(_ bytes: [UInt8]) -> Bool {
      let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      let hyphen = UInt8(ascii: "-")
      for label in labels {
        guard 1...63 ~= label.count, label.first != hyphen, label.last != hyphen,
          label.allSatisfy({ $0 == hyphen || isDigit($0) || isLetter($0) })
        else { return false }
      }
      guard let last = labels.last else { return false }
      let isHexadecimal = last.starts(with: [0x30, 0x78]) || last.starts(with: [0x30, 0x58])
      return !last.allSatisfy(isDigit) && !(isHexadecimal && last.dropFirst(2).allSatisfy { isDigit($0) || (97...102).contains($0 | 0x20) })
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
  }
}
