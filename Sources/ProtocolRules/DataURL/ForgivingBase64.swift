/// The forgiving base64 of the Infra standard: padding may be absent, whitespace is skipped, leftover bits are dropped.
package enum ForgivingBase64 {
  /// The decoded bytes; nil if `text` holds anything outside the alphabet or stops in the middle of a byte.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var digits: [UInt8] = []
    digits.reserveCapacity(text.underestimatedCount)
    var padding = 0
    for byte in text {
      switch byte {
      case 0x09, 0x0A, 0x0C, 0x0D, 0x20: continue
      case UInt8(ascii: "="): padding += 1
      default:
        guard padding == 0, let digit = digit(byte) else { return nil }
        digits.append(digit)
      }
    }
    // Padding may be left out; if present, it must complete a group of four.
    guard padding == 0 || (padding <= 2 && (digits.count + padding) % 4 == 0), digits.count % 4 != 1 else { return nil }
    return bytes(of: digits)
  }

  private static func bytes(of digits: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(digits.count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for digit in digits {
      bits = bits << 6 | UInt32(digit)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      result.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 0x41
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x61 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
