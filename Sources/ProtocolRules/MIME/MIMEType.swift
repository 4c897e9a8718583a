import LoadingModel

/// A MIME type as the WHATWG MIME Sniffing standard defines it: forgiving about parameters, strict about the type, the same in every browser.
package struct MIMEType: Sendable, Hashable {
  /// One parameter "name=value".
  package struct Parameter: Sendable, Hashable {
    /// The name in lower case.
    package let name: String
    /// The value without quotes and escapes, its case as written.
    package let value: String
  }

  /// The part before the slash, in lower case.
  package let type: String
  /// The part after the slash, in lower case.
  package let subtype: String
  /// In order of appearance, each name once: of a repeated name the first counts.
  package let parameters: [Parameter]

  /// "type/subtype", without parameters.
  package var essence: String { "\(type)/\(subtype)" }

  /// The character set in lower case; nil if the type names none.
  package var charset: String? {
    guard let value = parameter("charset"), !value.isEmpty else { return nil }
    return value.lowercased()
  }

  /// The value of the first parameter called `name`, which must be in lower case.
  package func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Type, subtype and parameters as text; parsing it gives an equal value (WHATWG MIME Sniffing, 4.5).
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

  /// Nil if `text` has no type and subtype made of token characters. Malformed parameters are left out (WHATWG MIME Sniffing, 4.4).
  package init?(_ text: String) {
    var cursor = FieldCursor(text[...].trimmingEnd())
    cursor.skipWhitespace()
    let type = String(cursor.take { $0 != UInt8(ascii: "/") })
    guard cursor.take(UInt8(ascii: "/")), FieldSyntaxRules.isToken(type) else { return nil }
    let subtype = String(cursor.take(while: MIMEType.isInsideParameter).trimmingEnd())
    guard FieldSyntaxRules.isToken(subtype) else { return nil }
    var parameters: [Parameter] = []
    // The names of the parameters, once there are so many that comparing each with all before it would take long.
    var names: Set<String> = []
    while cursor.take(UInt8(ascii: ";")) {
      guard let parameter = MIMEType.parameter(&cursor) else { continue }
      if names.isEmpty, parameters.count == MIMEType.comparedNames { names = Set(parameters.map(\.name)) }
      let isNew =
        parameters.count < MIMEType.comparedNames
        ? !parameters.contains { $0.name == parameter.name } : names.insert(parameter.name).inserted
      if isNew { parameters.append(parameter) }
    }
    self.init(type: type.lowercased(), subtype: subtype.lowercased(), parameters: parameters)
  }

  /// The number of parameters from which on their names are kept in a set.
  private static let comparedNames = 8

  /// "type/subtype" of a header field's value, or for a malformed value the text before its parameters; nil if that is empty.
  package static func lenientEssence(_ text: String) -> String? {
    if let parsed = MIMEType(text) { return parsed.essence }
    let head = text.prefix { $0 != ";" }.trimmingSpaces().lowercased()
    return head.isEmpty ? nil : head
  }

  /// Reads the parameter after a semicolon, up to the next semicolon; nil if it is malformed, or has no value.
  private static func parameter(_ cursor: inout FieldCursor) -> Parameter? {
    cursor.skipWhitespace()
    let name = String(cursor.take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") })
    guard cursor.take(UInt8(ascii: "=")) else { return nil }
    let value: String
    if let quoted = cursor.openQuotedString() {
      value = quoted
      _ = cursor.take(while: isInsideParameter)
    } else {
      value = String(cursor.take(while: isInsideParameter).trimmingEnd())
      if value.isEmpty { return nil }
    }
    guard FieldSyntaxRules.isToken(name), value.unicodeScalars.allSatisfy(mayBeQuoted) else { return nil }
    return Parameter(name: name.lowercased(), value: value)
  }

  private static func isInsideParameter(_ byte: UInt8) -> Bool { byte != UInt8(ascii: ";") }

  /// Whether the scalar is an "HTTP quoted-string token code point": tab, space to tilde, U+0080 to U+00FF.
  private static func mayBeQuoted(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x20...0x7E, 0x80...0xFF: true
    default: false
    }
  }
}

extension Substring {
  /// The text without HTTP white space at its end.
  package func trimmingEnd() -> Substring {
    var rest = utf8
    while let last = rest.last, FieldCursor.isWhitespace(last) { rest.removeLast() }
    return Substring(rest)
  }
}
