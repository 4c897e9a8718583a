/// Checks UTF-8 (RFC 3629) as it comes, in pieces cut anywhere. Wrong bytes are noticed at once, not at the end (RFC 6455, 8.1).
package struct UTF8Validator: Sendable, Hashable {
  /// Bytes that the character begun still lacks.
  private var missing: UInt8 = 0
  /// What the next of them may be: the first one's range keeps out overlong forms, surrogates and what lies beyond U+10FFFF.
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  package init() {}

  /// Whether the bytes so far end with a whole character.
  package var isAtBoundary: Bool { missing == 0 }

  /// False if no text can begin with these bytes behind the ones before.
  package mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let count = bytes.count
    var index = 0
    while index < count {
      if missing == 0 {
        // Most text is ASCII.
        while index &+ 8 <= count, base.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
          index &+= 8
        }
        guard index < count else { return true }
      }
      guard accepts(base.load(fromByteOffset: index, as: UInt8.self)) else { return false }
      index &+= 1
    }
    return true
  }

  // In line: called for each byte of each text message.
  @inline(__always)
  private mutating func accepts(_ byte: UInt8) -> Bool {
    if missing > 0 {
      guard byte >= lower, byte <= upper else { return false }
      missing &-= 1
      (lower, upper) = (0x80, 0xBF)
      return true
    }
    switch byte {
    case 0x00...0x7F: return true
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, lower) = (2, 0xA0)
    case 0xED: (missing, upper) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, lower) = (3, 0x90)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, upper) = (3, 0x8F)
    default: return false
    }
    return true
  }
}
