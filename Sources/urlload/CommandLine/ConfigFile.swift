import Foundation
import LoadingModel

/// A file of options in curl's format. Each line has an option, with or without its hyphens, and its value after a space, an equals sign or a colon;
/// a value with spaces is in quotation marks; lines that begin with # are comments, and so is what follows a value behind a space and #.
enum ConfigFile {
  /// The file of options that are read for each run: `urlload/config` in the user's folder for settings; nil if there is no home folder.
  static var path: String? {
    let environment = ProcessEnvironment.variables
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/urlload/config" }
    return environment["HOME"].map { $0 + "/.config/urlload/config" }
  }

  /// One option of the file, with its value.
  struct Line: Equatable {
    /// Number of the line, counted from 1.
    let number: Int
    let arguments: [String]
  }

  /// Reads the options of a file. With `mayBeMissing`, a file that can't be read has none.
  static func lines(at path: String, mayBeMissing: Bool) throws(UsageError) -> [Line] {
    let content = NamedContent.read(path)
    guard let content else {
      if mayBeMissing { return [] }
      throw UsageError("\(path) can't be read for options; check the name behind -K.")
    }
    return try lines(in: String(decoding: content, as: UTF8.self), from: path)
  }

  /// Parses the options in the text of a file. Pure.
  /// - Parameter path: The file's path, for messages.
  static func lines(in text: String, from path: String) throws(UsageError) -> [Line] {
    var lines: [Line] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let name = line.prefix { !$0.isWhitespace && $0 != "=" && $0 != ":" }
      guard !name.isEmpty else { throw UsageError("\(path), line \(index + 1): a line begins with an option.") }
      var rest = line[name.endIndex...].drop { $0.isWhitespace }
      if let first = rest.first, first == "=" || first == ":" { rest = rest.dropFirst().drop { $0.isWhitespace } }
      var arguments = [name.hasPrefix("-") ? String(name) : "--\(name)"]
      if !rest.isEmpty { arguments.append(value(rest)) }
      lines.append(Line(number: index + 1, arguments: arguments))
    }
    return lines
  }

  private static func value(_ text: Substring) -> String {
    guard text.first == "\"" else {
      let comment = text.indices.first { text[$0] == "#" && $0 > text.startIndex && text[text.index(before: $0)].isWhitespace }
      return text[..<(comment ?? text.endIndex)].trimmingCharacters(in: .whitespaces)
    }
    var value = ""
    var rest = text.dropFirst()
    while let character = rest.popFirst(), character != "\"" {
      guard character == "\\", let next = rest.popFirst() else {
        value.append(character)
        continue
      }
      switch next {
      case "t": value.append("\t")
      case "n": value.append("\n")
      case "r": value.append("\r")
      case "v": value.append("\u{0B}")
      default: value.append(next)
      }
    }
    return value
  }
}
