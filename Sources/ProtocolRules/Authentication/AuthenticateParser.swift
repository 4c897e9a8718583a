import LoadingModel

/// Parses one field value: `challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]`, in a comma-separated list (RFC 9110, 11.6.1).
///
/// The list of challenges and the lists of their parameters share the comma: `name =` tells a parameter from the next scheme. The parser reads
/// the field once, and goes back by one element at most.
struct AuthenticateParser {
  private var cursor: FieldCursor

  init(_ value: String) { cursor = FieldCursor(value) }

  mutating func challenges() -> [AuthenticateField] {
    var result: [AuthenticateField] = []
    while true {
      cursor.skipSeparators()
      guard !cursor.isAtEnd else { return result }
      guard let scheme = cursor.token() else {
        skipElement()
        continue
      }
      var challenge = AuthenticateField(scheme: scheme.lowercased())
      if cursor.skipSpace() { readContent(&challenge) }
      result.append(challenge)
    }
  }

  /// Reads what follows a scheme: a token68, or a list of parameters.
  private mutating func readContent(_ challenge: inout AuthenticateField) {
    if let value = token68() {
      challenge = AuthenticateField(scheme: challenge.scheme, token68: value)
      return
    }
    var parameters: [AuthenticateField.Parameter] = []
    while true {
      let hasSeparators = cursor.skipSeparators()
      guard !cursor.isAtEnd else { break }
      let elementStart = cursor
      guard let parameter = parameter() else {
        // The element is the next challenge's scheme, or malformed. A quoted string without its closing quote ends the field.
        cursor = elementStart
        if !hasSeparators || !isAtSchemeStart { skipElement() }
        if isAtSchemeStart { break }
        continue
      }
      parameters.append(parameter)
    }
    challenge = AuthenticateField(scheme: challenge.scheme, parameters: parameters)
  }

  /// Whether a token comes next. After `parameter()` has failed it can only be the next challenge's scheme.
  private var isAtSchemeStart: Bool { cursor.peek.map(FieldSyntaxRules.isTokenByte) ?? false }

  /// Reads `token BWS "=" BWS ( token / quoted-string )` (RFC 9110, 11.2); nil if the element is something else.
  private mutating func parameter() -> AuthenticateField.Parameter? {
    guard let name = cursor.token() else { return nil }
    cursor.skipSpace()
    guard cursor.take(UInt8(ascii: "=")) else { return nil }
    cursor.skipSpace()
    if cursor.peek == UInt8(ascii: "\"") { return cursor.quotedString().map { .init(name.lowercased(), $0) } }
    // Servers send unquoted values that aren't tokens: the value ends at the next comma, space or tab.
    let value = cursor.take { $0 != UInt8(ascii: ",") && $0 != 0x20 && $0 != 0x09 }
    return .init(name.lowercased(), String(value))
  }

  /// Reads a token68 that fills the element up to the next comma or the end; nil if the element is a parameter or the next scheme.
  private mutating func token68() -> String? {
    var ahead = cursor
    let letters = ahead.take(while: AuthenticateParser.isToken68Byte)
    let padding = ahead.take { $0 == UInt8(ascii: "=") }
    ahead.skipSpace()
    guard !letters.isEmpty, ahead.isAtElementEnd else { return nil }
    cursor = ahead
    return String(letters + padding)
  }

  /// Skips a malformed element, up to the next comma.
  private mutating func skipElement() { _ = cursor.take { $0 != UInt8(ascii: ",") } }

  /// Whether a token68 may have `byte` before its padding: `ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/"` (RFC 9110, 11.2).
  private static func isToken68Byte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
