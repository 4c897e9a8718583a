import LoadingModel

/// Takes one field value apart: `challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]`, in a comma-separated list (RFC 9110, 11.6.1).
///
/// The list of challenges and the lists of their parameters share the comma: `name =` tells a parameter from the next scheme.
/// A value: one pass over the bytes, never backwards by more than one token.
struct AuthenticateParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ value: String) { bytes = Array(value.utf8) }

  mutating func challenges() -> [AuthenticateField] {
    var result: [AuthenticateField] = []
    while true {
      skipSeparators()
      guard position < bytes.count else { return result }
      guard let scheme = token() else {
        skipElement()
        continue
      }
      var challenge = AuthenticateField(scheme: scheme.lowercased())
      if skipSpaces() { readContent(&challenge) }
      result.append(challenge)
    }
  }

  /// What follows the scheme.
  private mutating func readContent(_ challenge: inout AuthenticateField) {
    var parameters: [AuthenticateField.Parameter] = []
    let start = position
    if let value = token68() {
      challenge = AuthenticateField(scheme: challenge.scheme, token68: value)
      return
    }
    position = start
    while true {
      let beforeSeparators = position
      skipSeparators()
      guard position < bytes.count else { break }
      let elementStart = position
      guard let parameter = parameter() else {
        // Either the next challenge's scheme, or nothing that makes sense; a value left open ends the field.
        position = elementStart
        if position == beforeSeparators || !isAtSchemeStart { skipElement() }
        if isAtSchemeStart { break }
        continue
      }
      parameters.append(parameter)
    }
    challenge = AuthenticateField(scheme: challenge.scheme, parameters: parameters)
  }

  /// Whether a token comes next: with `name =` ruled out it must be a scheme.
  private var isAtSchemeStart: Bool {
    guard position < bytes.count else { return false }
    return FieldSyntaxRules.isTokenByte(bytes[position])
  }

  /// `token BWS "=" BWS ( token / quoted-string )` (11.2).
  private mutating func parameter() -> AuthenticateField.Parameter? {
    guard let name = token() else { return nil }
    skipSpaces()
    guard take(UInt8(ascii: "=")) else { return nil }
    skipSpaces()
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      guard let value = quotedString() else { return nil }
      return .init(name.lowercased(), value)
    }
    // Servers send unquoted values that are no tokens: up to the next comma or space.
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: ","), !isSpace(bytes[position]) { position += 1 }
    return .init(name.lowercased(), String(decoding: bytes[start..<position], as: UTF8.self))
  }

  /// A token68 that is all there is up to the next comma or the end; anything else is a parameter or the next scheme.
  private mutating func token68() -> String? {
    let start = position
    while position < bytes.count, isToken68Byte(bytes[position]) { position += 1 }
    let letters = position
    while position < bytes.count, bytes[position] == UInt8(ascii: "=") { position += 1 }
    let end = position
    guard letters > start else { return nil }
    skipSpaces()
    guard position == bytes.count || bytes[position] == UInt8(ascii: ",") else { return nil }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private mutating func quotedString() -> String? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var value: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
      // 5.6.4: a backslash quotes the byte after it.
      case UInt8(ascii: "\\") where position < bytes.count:
        value.append(bytes[position])
        position += 1
      default: value.append(byte)
      }
    }
    return nil
  }

  private mutating func token() -> String? {
    let start = position
    while position < bytes.count, FieldSyntaxRules.isTokenByte(bytes[position]) { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  @discardableResult
  private mutating func skipSpaces() -> Bool {
    let start = position
    while position < bytes.count, isSpace(bytes[position]) { position += 1 }
    return position > start
  }

  private mutating func skipSeparators() {
    while position < bytes.count, bytes[position] == UInt8(ascii: ",") || isSpace(bytes[position]) { position += 1 }
  }

  /// Past the next comma: the element isn't a challenge.
  private mutating func skipElement() {
    while position < bytes.count, bytes[position] != UInt8(ascii: ",") { position += 1 }
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// 11.2: `ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/"`.
  private func isToken68Byte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
