import Foundation

/// A header field as `-H` takes it.
enum HeaderArgument: Sendable, Equatable {
  /// 'Name: value', or 'Name;' with an empty value.
  case set(name: String, value: String)
  /// 'Name:', which removes a field that the tool would set.
  case remove(name: String)

  var name: String {
    switch self {
    case .set(let name, _), .remove(let name): name
    }
  }

  /// nil if the text has no field name.
  init?(_ text: String) {
    if let colon = text.firstIndex(of: ":") {
      let name = text[..<colon].trimmingCharacters(in: .whitespaces)
      // A value that comes from a file may end with a line break, which is removed.
      let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
      guard !name.isEmpty else { return nil }
      self = value.isEmpty ? .remove(name: name) : .set(name: name, value: value)
    } else {
      let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard name.count > 1, name.hasSuffix(";") else { return nil }
      self = .set(name: String(name.dropLast()), value: "")
    }
  }
}

extension HeaderArgument {
  /// The fields that the value of `-H` means: itself, or after "@" the lines of a file, as in curl.
  static func fields(_ text: String) throws(UsageError) -> [String] {
    guard text.hasPrefix("@") else { return [text] }
    let path = String(text.dropFirst())
    guard let content = NamedContent.read(path) else {
      throw UsageError("\(path) can't be read for header fields; check the name behind the @.")
    }
    return String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }

  /// What is wrong with the first of `fields` that can't be sent; nil if all can.
  static func complaint(_ fields: [String]) -> String? {
    for text in fields {
      switch HeaderArgument(text) {
      case nil: return "A header field is 'Name: value', 'Name:' or 'Name;', but one of those given has no name before a colon."
      case .set(let name, let value)?:
        if let complaint = FieldText.complaint(value, of: name) ?? FieldText.complaint(name, of: name) { return complaint }
      case .remove(let name)?: if let complaint = FieldText.complaint(name, of: name) { return complaint }
      }
    }
    return nil
  }
}

/// Checks values of header fields. Pure.
enum FieldText {
  /// The value without surrounding spaces and line breaks, which a file or a command may have added.
  /// - Throws: If there is a line break inside: it would end the field (RFC 9110, 5.5).
  static func value(_ text: String, of name: String) throws(UsageError) -> String {
    let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let complaint = complaint(value, of: name) { throw UsageError(complaint) }
    return value
  }

  fileprivate static func complaint(_ text: String, of name: String) -> String? {
    guard text.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" || $0 == "\0" }) else { return nil }
    let name = String(name.prefix { !$0.isNewline && $0 != "\0" })
    return "The header field \(name) has the end of a line, or a NUL, inside it; it takes one line."
  }
}

extension [HeaderArgument] {
  /// The first field that is set and has this name, given in lower case; nil if there is none.
  func first(setting name: String) -> (name: String, value: String)? {
    for case .set(let given, let value) in self where given.lowercased() == name { return (given, value) }
    return nil
  }
}
