import ProtocolRules

/// The `Content-Disposition` field of a response (RFC 6266): whether to show or save the body, and under which name.
package struct ContentDisposition: Sendable {
  /// "attachment", "inline"… in lower case; empty if the field starts with a parameter.
  package let type: String
  /// The file name that the server suggests, decoded but not sanitised: it may contain path separators or control characters.
  package let filename: String?

  package init(_ text: String) {
    var cursor = FieldCursor(text)
    let start = cursor.take(while: Self.isInsideName)
    var hasParameter: Bool
    if cursor.peek == UInt8(ascii: "=") {
      // Some servers leave the disposition type out: the text before "=" is read again, as a parameter's name.
      (type, cursor, hasParameter) = ("", FieldCursor(text), true)
    } else {
      (type, hasParameter) = (start.trimmingSpaces().lowercased(), cursor.take(UInt8(ascii: ";")))
    }
    var plain: String?
    var extended: String?
    while hasParameter {
      if let (name, value) = Self.parameter(&cursor) {
        switch name {
        case "filename": plain = plain ?? value
        case "filename*": extended = extended ?? Self.extendedValue(value)
        default: break
        }
      }
      hasParameter = cursor.take(UInt8(ascii: ";"))
    }
    // RFC 6266, 4.3: where both are present and understood, the extended form wins.
    filename = extended ?? plain
  }

  private static func isInsideName(_ byte: UInt8) -> Bool { byte != UInt8(ascii: ";") && byte != UInt8(ascii: "=") }

  /// Reads one parameter up to the next semicolon, its name in lower case; nil if it has no "=".
  private static func parameter(_ cursor: inout FieldCursor) -> (name: String, value: String)? {
    cursor.skipWhitespace()
    let name = cursor.take(while: isInsideName).trimmingEnd().lowercased()
    guard cursor.take(UInt8(ascii: "=")) else { return nil }
    cursor.skipWhitespace()
    guard let quoted = cursor.openQuotedString() else { return (name, unquotedValue(&cursor)) }
    _ = cursor.take { $0 != UInt8(ascii: ";") }
    return (name, quoted)
  }

  /// Reads an unquoted value up to the next ";", without white space at its end. As in Apple's parser, a backslash escapes the next byte, a ";" too.
  private static func unquotedValue(_ cursor: inout FieldCursor) -> String {
    var isEscaped = false
    let written = cursor.take { byte in
      if !isEscaped, byte == UInt8(ascii: ";") { return false }
      isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      return true
    }
    var value: [UInt8] = []
    var bytes = written.utf8
    while let byte = bytes.popFirst() { value.append(byte == UInt8(ascii: "\\") ? bytes.popFirst() ?? byte : byte) }
    return String(String(decoding: value, as: UTF8.self)[...].trimmingEnd())
  }

  /// Decodes `charset'language'percent-encoded` (RFC 8187, 3.2); nil if malformed or of another charset than UTF-8 and ISO-8859-1.
  static func extendedValue(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = percentDecoded(parts[2]) else { return nil }
    switch parts[0].lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1":
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
      return String(scalars)
    default: return nil
    }
  }

  private static func percentDecoded(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(HexDigit.value), let low = rest.popFirst().flatMap(HexDigit.value) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
