/// Decodes UTF-8 byte by byte. A value without I/O.
///
/// Repairs like `String(decoding:as:)`: each maximal part of an ill-formed sequence becomes one U+FFFD (Unicode 16, section 3.9,
/// "U+FFFD Substitution of Maximal Subparts").
@usableFromInline
struct ScalarDecoder: Sendable {
  /// The result of decoding one byte.
  @usableFromInline
  enum Step: Equatable, Sendable {
    case needsMore
    case scalar(Unicode.Scalar)
    /// The sequence before this byte is incomplete: emit U+FFFD, then pass the byte again.
    case replacementThenSameByte
  }

  @usableFromInline var missing = 0
  @usableFromInline var value: UInt32 = 0
  /// The range of the next continuation byte: narrower than 80…BF only after the first bytes E0, ED, F0 and F4.
  @usableFromInline var allowed: ClosedRange<UInt8> = 0x80...0xBF

  @usableFromInline
  init() {}

  @inlinable
  mutating func accept(_ byte: UInt8) -> Step {
    if missing == 0, byte < 0x80 { return .scalar(Unicode.Scalar(byte)) }
    return missing == 0 ? begin(byte) : resume(byte)
  }

  /// Called at the end of the input: U+FFFD if it ended within a sequence, otherwise nil.
  @usableFromInline
  mutating func finish() -> Unicode.Scalar? {
    guard missing > 0 else { return nil }
    missing = 0
    return "\u{FFFD}"
  }

  /// Begins a sequence with its first byte. Unicode 16, table 3-7, lists the well-formed first and second bytes.
  @usableFromInline
  mutating func begin(_ byte: UInt8) -> Step {
    allowed = 0x80...0xBF
    switch byte {
    case 0xC2...0xDF:
      missing = 1
      value = UInt32(byte & 0x1F)
    case 0xE0...0xEF:
      missing = 2
      value = UInt32(byte & 0x0F)
      if byte == 0xE0 { allowed = 0xA0...0xBF }
      if byte == 0xED { allowed = 0x80...0x9F }
    case 0xF0...0xF4:
      missing = 3
      value = UInt32(byte & 0x07)
      if byte == 0xF0 { allowed = 0x90...0xBF }
      if byte == 0xF4 { allowed = 0x80...0x8F }
    default:
      return .scalar("\u{FFFD}")
    }
    return .needsMore
  }

  @usableFromInline
  mutating func resume(_ byte: UInt8) -> Step {
    guard allowed.contains(byte) else {
      missing = 0
      return .replacementThenSameByte
    }
    allowed = 0x80...0xBF
    value = value << 6 | UInt32(byte & 0x3F)
    missing -= 1
    guard missing == 0 else { return .needsMore }
    // Never nil: the ranges above exclude surrogates and values beyond U+10FFFF.
    return .scalar(Unicode.Scalar(value) ?? "\u{FFFD}")
  }
}
