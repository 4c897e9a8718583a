#if Inspector
  import ProtocolRules

  /// Decoding of characters that are percent-encoded (RFC 3986, 2.1), possibly several times, written as JSON's `\u00XX`, or as an XML entity. Each
  /// is recognized in constant time.
  extension [UInt8] {
    /// The largest number of times that a character may be percent-encoded or escaped as an entity.
    private static var levels: Int { 4 }
    private static let entities: [(name: StaticString, byte: UInt8)] = [
      ("lt;", UInt8(ascii: "<")), ("gt;", UInt8(ascii: ">")), ("quot;", UInt8(ascii: "\"")), ("apos;", UInt8(ascii: "'")),
    ]
    /// The most digits of a numeric entity that are read, leading zeros included.
    private static var digitLimit: Int { 8 }

    /// The length in bytes of one of `characters` at `index`, plain or encoded; 0 if there is none of them.
    func length(of characters: StaticString, at index: Int) -> Int {
      guard index < count else { return 0 }
      let (byte, length) = encoded(at: index) ?? (self[index], 1)
      return characters.withUTF8Buffer { $0.contains(byte) } ? length : 0
    }

    /// The character that is encoded at `index`, and the length of the encoding in bytes; nil if there is no encoding.
    func encoded(at index: Int) -> (byte: UInt8, length: Int)? {
      guard index < count else { return nil }
      switch self[index] {
      case UInt8(ascii: "%"):
        guard let (byte, length) = percentEncoded(at: index) else { return nil }
        if byte == UInt8(ascii: "\\"), let code = code(at: index + length) { return (code, length + 5) }
        return (byte, length)
      case UInt8(ascii: "\\"): return code(at: index + 1).map { ($0, 6) }
      case UInt8(ascii: "&"): return entity(at: index)
      default: return nil
      }
    }

    private func percentEncoded(at index: Int) -> (byte: UInt8, length: Int)? {
      var start = index + 1
      // A repeated percent-encoding encodes the `%` as `%25`, as in `%253D`.
      for _ in 1..<Self.levels {
        guard startsWith("25", at: start), octet(at: start + 2) != nil else { break }
        start += 2
      }
      return octet(at: start).map { ($0, start + 2 - index) }
    }

    /// The character of JSON's escape `\u00XX` whose `u` is at `index`; nil for other escapes.
    private func code(at index: Int) -> UInt8? { startsWith("u00", at: index) ? octet(at: index + 3) : nil }

    private func entity(at index: Int) -> (byte: UInt8, length: Int)? {
      var start = index + 1
      for _ in 1..<Self.levels {
        guard startsWith("amp;", at: start) else { break }
        start += 4
      }
      if start < count, self[start] == UInt8(ascii: "#") { return character(at: start + 1).map { ($0.byte, $0.end - index) } }
      for (name, byte) in Self.entities where startsWith(name, at: start) { return (byte, start + name.utf8CodeUnitCount - index) }
      return nil
    }

    /// The ASCII character of a numeric entity whose number begins at `index`: decimal, or hexadecimal after an `x`.
    private func character(at index: Int) -> (byte: UInt8, end: Int)? {
      let isHexadecimal = index < count && self[index] | 0x20 == UInt8(ascii: "x")
      let base = isHexadecimal ? 16 : 10
      let start = isHexadecimal ? index + 1 : index
      var (number, end) = (0, start)
      while end < count, end - start < Self.digitLimit, let digit = HexDigit.value(self[end]), digit < base {
        (number, end) = (number * base + Int(digit), end + 1)
      }
      guard end > start, end < count, self[end] == UInt8(ascii: ";"), number < 0x80 else { return nil }
      return (UInt8(number), end + 1)
    }

    /// The byte that the two hexadecimal digits at `index` express.
    private func octet(at index: Int) -> UInt8? {
      guard index + 1 < count, let high = HexDigit.value(self[index]), let low = HexDigit.value(self[index + 1]) else { return nil }
      return high << 4 | low
    }
  }
#endif
