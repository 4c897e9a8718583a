/// Checks UTF-8 (RFC 3629) in pieces that may be cut anywhere. Invalid bytes are found at once, not only at the end (RFC 6455, 8.1).
package struct UTF8Validator: Sendable, Hashable {
  /// The number of bytes that the last character still lacks.
  private var missing: UInt8 = 0
  /// The range of values for the next of those bytes. The range for a character's second byte excludes overlong forms, surrogates and values
  /// beyond U+10FFFF.
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  package init() {}

  /// Whether the bytes so far end with a complete character.
  package var isAtBoundary: Bool { missing == 0 }

  /// Checks the next bytes; false if they can't be part of valid UTF-8 after the bytes before.
  package mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let count = bytes.count
    var index = 0
    while index < count {
      if missing == 0 {
        // Most text is ASCII: eight bytes are tested at once.
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

  // Inlined, because it is called for each byte of text that isn't ASCII.
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
