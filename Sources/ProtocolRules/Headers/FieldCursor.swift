import LoadingModel

/// Reads a header field from left to right: tokens, quoted strings, white space and lists (RFC 9110, 5.6).
///
/// The cursor is a view of the field's text: only what is returned as a `String` is copied. To go back, keep a copy of the cursor.
package struct FieldCursor {
  private var bytes: Substring.UTF8View

  package init(_ text: String) { bytes = text[...].utf8 }
  package init(_ text: Substring) { bytes = text.utf8 }

  /// The next byte; nil at the end.
  package var peek: UInt8? { bytes.first }
  package var isAtEnd: Bool { bytes.isEmpty }
  /// The part of the field that hasn't been read yet.
  package var rest: Substring { Substring(bytes) }

  /// Reads the next byte if it is `byte`. Returns whether it was.
  @discardableResult
  package mutating func take(_ byte: UInt8) -> Bool {
    guard bytes.first == byte else { return false }
    bytes.removeFirst()
    return true
  }

  /// Reads the bytes before the first one that `isWanted` refuses. `isWanted` must accept all bytes from 0x80 on or none, so that no character is
  /// split.
  package mutating func take(while isWanted: (UInt8) -> Bool) -> Substring {
    let taken = bytes.prefix(while: isWanted)
    bytes = bytes[taken.endIndex...]
    return Substring(taken)
  }

  /// Skips `OWS`, optional white space (RFC 9110, 5.6.3). Returns whether there was any.
  @discardableResult
  package mutating func skipSpace() -> Bool { !take { $0 == 0x20 || $0 == 0x09 }.isEmpty }

  /// Skips white space as the WHATWG's standards define it for HTTP: `OWS` and line breaks.
  package mutating func skipWhitespace() { _ = take(while: FieldCursor.isWhitespace) }

  package static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

  // MARK: tokens and quoted strings

  /// Reads a `token` (RFC 9110, 5.6.2); nil where there is none.
  package mutating func token() -> String? {
    let taken = take(while: FieldSyntaxRules.isTokenByte)
    return taken.isEmpty ? nil : String(taken)
  }

  /// Reads a `quoted-string` and returns it without its quotes (RFC 9110, 5.6.4); nil where there is none, or where the closing quote is missing.
  package mutating func quotedString() -> String? {
    guard let (text, isClosed) = quotedText(), isClosed else { return nil }
    return text
  }

  /// As `quotedString`, but if the closing quote is missing, the string ends with the field, as in browsers.
  package mutating func openQuotedString() -> String? { quotedText()?.text }

  private mutating func quotedText() -> (text: String, isClosed: Bool)? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var content: [UInt8] = []
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return (String(decoding: content, as: UTF8.self), true)
      // RFC 9110, 5.6.4: a backslash makes the next byte literal; as the last byte it is literal itself.
      case UInt8(ascii: "\\"): content.append(bytes.popFirst() ?? byte)
      default: content.append(byte)
      }
    }
    return (String(decoding: content, as: UTF8.self), false)
  }

  /// Reads `token [ BWS "=" BWS ( token / quoted-string ) ]` (RFC 9110, 5.6.6) and the white space after it; nil where the text is something
  /// else.
  package mutating func parameter() -> (name: String, value: String?)? {
    guard let name = token() else { return nil }
    skipSpace()
    guard take(UInt8(ascii: "=")) else { return (name, nil) }
    skipSpace()
    guard let value = quotedString() ?? token() else { return nil }
    skipSpace()
    return (name, value)
  }

  // MARK: lists

  /// Whether the cursor is at the end of a list's element: at a comma, or the end of the field.
  package var isAtElementEnd: Bool { bytes.isEmpty || bytes.first == UInt8(ascii: ",") }

  /// Skips commas and white space, so that empty elements don't count (RFC 9110, 5.6.1.2). Returns whether there were any.
  @discardableResult
  package mutating func skipSeparators() -> Bool {
    !take { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }.isEmpty
  }

  /// The elements of a list (RFC 9110, 5.6.1) with the white space around them, empty ones too; a comma inside quotes doesn't separate.
  package static func elements(of list: Substring) -> [Substring] {
    // Most lists have one element.
    guard list.utf8.contains(UInt8(ascii: ",")) else { return [list] }
    var result: [Substring] = []
    var start = list.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in list.utf8.indices {
      switch list.utf8[index] {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isQuoted: isEscaped = true
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        result.append(list[start..<index])
        start = list.utf8.index(after: index)
      default: break
      }
    }
    result.append(list[start...])
    return result
  }

  /// The elements of a list of tokens, in which a quote has no meaning, without the white space around them; empty ones are left out.
  package static func tokens(of list: String) -> [String] {
    list.utf8.split(separator: UInt8(ascii: ",")).compactMap { element in
      let token = Substring(element).trimmingSpaces()
      return token.isEmpty ? nil : String(token)
    }
  }
}
