import Foundation

/// Request items in httpie's syntax, after the URL: `name=value` and `name:=json` for a JSON body, `Name:value` for a header field, `name==value` for
/// the query, `name@file` for a form's file; `=@` and `:=@` read the value from a file. Pure, except for the files it reads.
struct RequestItems: Sendable {
  private enum Separator: String, CaseIterable {
    // The order matters: a longer separator comes before the one that it begins with.
    case jsonFile = ":=@"
    case json = ":="
    case query = "=="
    case textFile = "=@"
    case file = "@"
    case field = ":"
    case text = "="
  }

  private(set) var fields: [String] = []
  private(set) var query: [String] = []
  private var members: [(name: String, value: String, isJSON: Bool)] = []
  private var files: [FormArgument] = []

  var hasContent: Bool { !members.isEmpty || !files.isEmpty }

  /// Methods that may stand before the URL, in upper or lower case.
  static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"]

  /// Whether a word after the URL is a request item, and not another URL. Without a method before the URL, a colon may also precede a port.
  static func isItem(_ text: String, behindMethod: Bool) -> Bool {
    guard let (name, separator, value) = parts(text) else { return isEmptyField(text) }
    // "name:=1" and "Name:value" are items, not URLs with the scheme "name".
    let isURL = TypedURL.hasScheme(text) && (separator != .field || value.hasPrefix("//") || schemes.contains(name.lowercased()))
    guard separator == .json || separator == .jsonFile || !isURL || text.prefix(while: { $0 != ":" }).contains("-") else { return false }
    if behindMethod { return true }
    guard !name.contains(where: { "./:?".contains($0) }) else { return false }
    // A field's name usually begins with an upper-case letter, a host name doesn't.
    if separator == .field, name.first?.isUppercase == true { return true }
    // After the colon: a port, a path, or the host after a password would make it a URL.
    return separator != .field || !(value.first.map { $0.isNumber || $0 == "/" } ?? true) && !value.contains("@")
  }

  /// Schemes of URLs that are recognized without "//".
  private static let schemes: Set<String> = ["http", "https", "ftp", "ftps", "ws", "wss", "data", "file"]

  /// Whether the word is "Name;", which sends a field with an empty value, as in curl's `-H`.
  private static func isEmptyField(_ text: String) -> Bool {
    guard text.last == ";", let first = text.first, first.isUppercase || text.contains("-") else { return false }
    return text.dropLast().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  /// - Throws: If one of the words is no item, or a file can't be read.
  init(_ words: [String]) throws(UsageError) {
    for word in words {
      guard let (name, separator, value) = RequestItems.parts(word) else {
        if word.hasSuffix(";"), word.count > 1 {
          fields.append(word)
          continue
        }
        throw UsageError(
          "\"\(word)\" is none of name=value, name:=json, Name:value, name==value and name@file; behind a method comes one URL alone.")
      }
      switch separator {
      case .field: fields.append("\(name): \(value)")
      case .query: query.append("+\(PercentEncoding.text(name))=\(PercentEncoding.text(value))")
      case .text: members.append((name, value, false))
      case .json: members.append((name, try RequestItems.checked(value, word), true))
      case .textFile: members.append((name, try RequestItems.content(value), false))
      case .jsonFile: members.append((name, try RequestItems.checked(try RequestItems.content(value), word), true))
      case .file:
        let parts = value.split(separator: ";", maxSplits: 1).map(String.init)
        let type = parts.count == 2 && parts[1].hasPrefix("type=") ? String(parts[1].dropFirst(5)) : nil
        files.append(FormArgument.file(name: name, path: parts.first ?? "", type: type))
      }
    }
  }

  /// Adds the items to the request's options. With a form's `Content-Type` field, or with files, the body is a form; otherwise it is JSON.
  func apply(to options: inout RequestOptions) throws(UsageError) {
    options.header += fields
    options.query += query
    guard hasContent else { return }
    if !options.data.isEmpty || !options.form.isEmpty || options.uploads {
      throw UsageError("name=value behind the URL is the body, as -d, -F, --json and -T are; leave one of the two out.")
    }
    if files.isEmpty, !isForm {
      options.data = [DataArgument(kind: .json, text: json)]
      options.header.insert("Accept: application/json, */*;q=0.5", at: 0)
      return
    }
    if let member = members.first(where: \.isJSON), !files.isEmpty || isForm {
      throw UsageError("\(member.name):= is JSON, which a form can't have; write \(member.name)=.")
    }
    guard files.isEmpty else {
      options.form = members.map { FormArgument.field(name: $0.name, text: $0.value) } + files
      return
    }
    options.data = members.map {
      DataArgument(kind: .raw, text: "\(PercentEncoding.form($0.name.utf8))=\(PercentEncoding.form($0.value.utf8))")
    }
  }

  private var isForm: Bool {
    fields.contains { $0.lowercased().hasPrefix("content-type:") && $0.lowercased().contains("application/x-www-form-urlencoded") }
  }

  /// The JSON object of the items, in the order in which they were given.
  private var json: String {
    let texts = members.map { "\(JSONLine.text($0.name)): \($0.isJSON ? $0.value : JSONLine.text($0.value))" }
    return "{\(texts.joined(separator: ", "))}"
  }

  private static func checked(_ text: String, _ word: String) throws(UsageError) -> String {
    let object = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    guard object != nil else {
      throw UsageError("\"\(word)\" has no JSON behind :=; a text is given by =, or as :='\"text\"'.")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func content(_ path: String) throws(UsageError) -> String {
    guard let data = NamedContent.ofFile(path) else {
      throw UsageError("\(path) can't be read for a value; check the name behind the @.")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Splits a word at its first separator; nil if it has none. A backslash makes a separator an ordinary character.
  private static func parts(_ text: String) -> (name: String, separator: Separator, value: String)? {
    var name = ""
    var rest = text[...]
    while let character = rest.first {
      if character == "\\", let next = rest.dropFirst().first {
        name.append(next)
        rest = rest.dropFirst(2)
        continue
      }
      if let separator = Separator.allCases.first(where: { rest.hasPrefix($0.rawValue) }) {
        guard !name.isEmpty else { return nil }
        return (name, separator, String(rest.dropFirst(separator.rawValue.count)))
      }
      name.append(character)
      rest = rest.dropFirst()
    }
    return nil
  }
}
