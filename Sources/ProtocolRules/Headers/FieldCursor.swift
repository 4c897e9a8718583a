/// Reads the words of a header field, one after the other (RFC 9110, 5.6).
struct FieldCursor {
  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  /// `OWS` (5.6.3).
  mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 { position += 1 }
  }

  /// `token` (5.6.2); nil where there is none.
  mutating func token() -> String? {
    let start = position
    while let byte = peek, FieldSyntaxRules.isTokenByte(byte) { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// `quoted-string` without its quotes (5.6.4); nil where there is none.
  mutating func quotedString() -> String? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var content: [UInt8] = []
    while let byte = peek {
      position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      guard let escaped = peek else { return nil }
      content.append(escaped)
      position += 1
    }
    return nil
  }
}
