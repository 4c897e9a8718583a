import Foundation
import URLLoadingSystem

/// A part of a form, as `-F` takes it: "name=content", "name=@file" or "name=<file", followed by ";type=" and ";filename=". Pure.
struct FormArgument: Sendable, Equatable {
  enum Content: Sendable, Equatable {
    case text(String)
    /// The text in a file, sent as a plain field.
    case textFile(String)
    /// The content of a file, sent as a file.
    case file(String)
  }

  var name: String
  var content: Content
  var type: String?
  var filename: String?

  /// A plain text field, as `--form-string` takes it.
  static func text(_ argument: String) throws(UsageError) -> FormArgument {
    guard let sign = argument.firstIndex(of: "=") else {
      throw UsageError("--form-string takes NAME=TEXT, and what was given has no equals sign.")
    }
    return FormArgument(name: String(argument[..<sign]), content: .text(String(argument[argument.index(after: sign)...])))
  }

  /// The parts in the value of one `-F`: more than one if it names several files.
  static func parts(_ argument: String) throws(UsageError) -> [FormArgument] {
    guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else {
      throw UsageError("-F takes NAME=CONTENT, NAME=@FILE or NAME=<FILE, and what was given has no name before an equals sign.")
    }
    let name = String(argument[..<sign])
    let text = argument[argument.index(after: sign)...]
    guard let mark = text.first, mark == "@" || mark == "<" else {
      var scanner = FormScanner(text)
      let content = scanner.content(endsAtComma: false)
      var part = FormArgument(name: name, content: .text(content))
      try scanner.attributes(of: &part)
      return [part]
    }
    var scanner = FormScanner(text.dropFirst())
    var parts: [FormArgument] = []
    repeat {
      let path = scanner.content(endsAtComma: mark == "@")
      var part = FormArgument(name: name, content: mark == "@" ? .file(path) : .textFile(path))
      try scanner.attributes(of: &part)
      parts.append(part)
    } while scanner.takesComma()
    return parts
  }

  private init(name: String, content: Content) { (self.name, self.content) = (name, content) }

  /// A part with a file.
  static func file(name: String, path: String, type: String? = nil) -> FormArgument {
    var part = FormArgument(name: name, content: .file(path))
    part.type = type
    return part
  }

  static func field(name: String, text: String) -> FormArgument { FormArgument(name: name, content: .text(text)) }

  /// The content type that curl uses for a file with this extension.
  static func type(ofFile path: String) -> String {
    switch path.split(separator: ".").last?.lowercased() {
    case "gif": "image/gif"
    case "jpg", "jpeg": "image/jpeg"
    case "png": "image/png"
    case "svg": "image/svg+xml"
    case "txt": "text/plain"
    case "htm", "html": "text/html"
    case "pdf": "application/pdf"
    case "xml": "application/xml"
    default: "application/octet-stream"
    }
  }
}

/// Parses the value of `-F` behind the name: content, then attributes.
private struct FormScanner {
  private var rest: Substring

  init(_ text: Substring) { rest = text }

  /// Reads up to the next semicolon, and comma if `endsAtComma`; or a text in quotation marks, in which a backslash escapes. As in curl, spaces
  /// around either are cut off.
  mutating func content(endsAtComma: Bool) -> String {
    rest = rest.drop(while: \.isWhitespace)
    if rest.first == "\"" {
      let before = rest
      if let quoted = quoted() {
        rest = rest.drop(while: \.isWhitespace)
        return quoted
      }
      rest = before
    }
    return raw(endsAtComma: endsAtComma).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Reads up to the next semicolon, and comma if `endsAtComma`.
  private mutating func raw(endsAtComma: Bool) -> String {
    let end = rest.firstIndex { $0 == ";" || endsAtComma && $0 == "," } ?? rest.endIndex
    defer { rest = rest[end...] }
    return String(rest[..<end])
  }

  private mutating func quoted() -> String? {
    rest = rest.dropFirst()
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" { return text }
      if character == "\\", let next = rest.first, next == "\\" || next == "\"" {
        text.append(next)
        rest = rest.dropFirst()
      } else {
        text.append(character)
      }
    }
    return nil
  }

  mutating func takesComma() -> Bool {
    guard rest.first == "," else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Reads ";type=" and ";filename=". A type may be followed by its own parameters, which belong to it.
  mutating func attributes(of part: inout FormArgument) throws(UsageError) {
    while rest.first == ";" {
      let text = rest.dropFirst().drop { $0 == " " }
      if text.hasPrefix("type=") {
        rest = text.dropFirst(5)
        part.type = content(endsAtComma: true)
        while rest.first == ";", !Self.names(rest.dropFirst().drop { $0 == " " }) {
          rest = rest.dropFirst()
          part.type? += ";" + raw(endsAtComma: true)
        }
        part.type = part.type?.trimmingCharacters(in: .whitespacesAndNewlines)
      } else if text.hasPrefix("filename=") {
        rest = text.dropFirst(9)
        part.filename = content(endsAtComma: true)
      } else if text.hasPrefix("headers=") || text.hasPrefix("encoder=") {
        throw UsageError("A part of -F takes ;type= and ;filename=; there is no ;\(text.prefix { $0 != "=" })= here.")
      } else {
        throw UsageError("In -F, a semicolon is followed by type= or filename=; put content that has one in double quotation marks.")
      }
    }
  }

  private static func names(_ text: Substring) -> Bool {
    ["type=", "filename=", "headers=", "encoder="].contains { text.hasPrefix($0) }
  }
}
