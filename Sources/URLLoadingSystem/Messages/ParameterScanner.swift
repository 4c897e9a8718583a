/// Reads the "name=value; name=value" syntax that MIME types and Content-Disposition share (RFC 9110, 5.6), one scalar at a time.
struct ParameterScanner {
  typealias Slice = String.UnicodeScalarView.SubSequence

  private var rest: Slice

  init(_ text: String) { rest = text.unicodeScalars[...] }

  var next: Unicode.Scalar? { rest.first }

  mutating func skipWhitespace() { rest = rest.drop(while: Self.isWhitespace) }

  /// Whether `scalar` came next; it is consumed then.
  mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  mutating func take(while condition: (Unicode.Scalar) -> Bool) -> Slice {
    let taken = rest.prefix(while: condition)
    rest = rest[taken.endIndex...]
    return taken
  }

  /// The content of a quoted string whose opening quote comes next. A missing closing quote ends it with the text.
  mutating func quotedString() -> String {
    _ = skip("\"")
    var result = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { break }
      // A backslash quotes the scalar behind it; at the very end it is itself.
      result.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
    }
    return String(result)
  }

  /// Everything up to the next ";", without spaces at the end. A backslash quotes the scalar behind it here too, as Apple's parser reads
  /// it: an escaped ";" doesn't end the value.
  mutating func unquotedValue() -> String {
    var result = String.UnicodeScalarView()
    while let scalar = rest.first, scalar != ";" {
      rest.removeFirst()
      result.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
    }
    return String(Substring.UnicodeScalarView(result).trimmingEnd())
  }

  static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\n"
  }

  /// RFC 9110, 5.6.2; never empty.
  static func isToken(_ text: Slice) -> Bool {
    !text.isEmpty
      && text.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~": true
        default: false
        }
      }
  }

  /// What a quoted string may contain: tab, visible ASCII, space, and the upper half of one byte.
  static func isQuotable(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || (0x20...0x7E).contains(scalar.value) || (0x80...0xFF).contains(scalar.value)
  }
}

extension Substring.UnicodeScalarView {
  func trimmingEnd() -> Substring.UnicodeScalarView {
    var rest = self
    while let last = rest.last, ParameterScanner.isWhitespace(last) { rest.removeLast() }
    return rest
  }
}
