/// Hexadecimal digits of percent-encoding (RFC 3986, 2.1).
package enum HexDigit {
  /// 0…15, or nil if `byte` isn't a digit of either case.
  package static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// The upper-case digit for the low four bits of `value`.
  package static func digit(_ value: UInt8) -> UInt8 {
    let nibble = value & 15
    return nibble < 10 ? 0x30 + nibble : 0x41 + nibble - 10
  }
}
