import LoadingModel

/// A MIME type as the WHATWG MIME Sniffing standard defines it: more lenient than RFC 9110, 8.3.1, and the same in every browser.
package struct MIMEType: Sendable, Hashable {
  /// One "name=value".
  package struct Parameter: Sendable, Hashable {
    /// Lower case.
    package let name: String
    /// Unquoted, case as written.
    package let value: String
  }

  /// Lower case.
  package let type: String
  /// Lower case.
  package let subtype: String
  /// In order of appearance, each name once.
  package let parameters: [Parameter]

  /// "type/subtype", without parameters.
  package var essence: String { "\(type)/\(subtype)" }

  /// The value of the first parameter called `name`, which must be in lower case.
  package func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Type, subtype and parameters as text; parsing it gives an equal value.
  package var serialized: String {
    parameters.reduce(into: essence) { text, parameter in
      text += ";\(parameter.name)="
      if FieldSyntaxRules.isToken(parameter.value) {
        text += parameter.value
      } else {
        let escaped = parameter.value.unicodeScalars.reduce(into: "") {
          if $1 == "\"" || $1 == "\\" { $0 += "\\" }
          $0.unicodeScalars.append($1)
        }
        text += "\"\(escaped)\""
      }
    }
  }

  init(type: String, subtype: String, parameters: [Parameter]) {
    self.type = type
    self.subtype = subtype
    self.parameters = parameters
  }

  /// Nil if `text` has no type and subtype made of token characters. Broken parameters are left out.
  package init?(_ text: String) {
    var scanner = MIMETypeScanner(text)
    let type = scanner.take { $0 == "/" }
    guard scanner.skip("/"), FieldSyntaxRules.isToken(type) else { return nil }
    let subtype = scanner.takeTrimmed { $0 == ";" }
    guard FieldSyntaxRules.isToken(subtype) else { return nil }
    var parameters: [Parameter] = []
    while scanner.skip(";") {
      guard let parameter = scanner.parameter(), !parameters.contains(where: { $0.name == parameter.name }) else { continue }
      parameters.append(parameter)
    }
    self.init(type: type.lowercased(), subtype: subtype.lowercased(), parameters: parameters)
  }
}

/// Reads a MIME type from left to right; lives for one parse.
private struct MIMETypeScanner {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) {
    var rest = text.unicodeScalars[...]
    while let first = rest.first, MIMETypeScanner.isSpace(first) { rest.removeFirst() }
    while let last = rest.last, MIMETypeScanner.isSpace(last) { rest.removeLast() }
    scalars = Array(rest)
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  mutating func take(upTo isEnd: (Unicode.Scalar) -> Bool) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = next, !isEnd(scalar) {
      text.append(scalar)
      position += 1
    }
    return String(text)
  }

  mutating func takeTrimmed(upTo isEnd: (Unicode.Scalar) -> Bool) -> String {
    var text = take(upTo: isEnd).unicodeScalars
    while let last = text.last, MIMETypeScanner.isSpace(last) { text.removeLast() }
    return String(text)
  }

  /// The parameter after a semicolon, ending at the next semicolon; nil if it is to be left out.
  mutating func parameter() -> MIMEType.Parameter? {
    _ = take { !MIMETypeScanner.isSpace($0) }
    let name = take { $0 == ";" || $0 == "=" }
    guard skip("=") else { return nil }
    let value: String
    if next == "\"" {
      value = quotedString()
      _ = take { $0 == ";" }
    } else {
      value = takeTrimmed { $0 == ";" }
      if value.isEmpty { return nil }
    }
    guard FieldSyntaxRules.isToken(name), value.unicodeScalars.allSatisfy(MIMETypeScanner.mayBeQuoted) else { return nil }
    return MIMEType.Parameter(name: name.lowercased(), value: value)
  }

  private mutating func quotedString() -> String {
    position += 1
    var text = String.UnicodeScalarView()
    while let scalar = next {
      position += 1
      if scalar == "\"" { break }
      if scalar == "\\", let escaped = next {
        text.append(escaped)
        position += 1
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
  }

  /// An HTTP quoted-string token code point: tab, space to tilde, U+0080 to U+00FF.
  private static func mayBeQuoted(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x20...0x7E, 0x80...0xFF: true
    default: false
    }
  }
}
