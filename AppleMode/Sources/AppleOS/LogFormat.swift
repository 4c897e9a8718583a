import Foundation

/// A format of `os_log` and its values.
struct LogFormat {
  private let format: String
  private let values: [Any]

  init(_ format: String, _ values: [Any]) { (self.format, self.values) = (format, values) }

  func text(showingPrivate: Bool) -> String {
    var (text, rest, next) = ("", format[...], values.startIndex)
    while let percent = rest.firstIndex(of: "%") {
      text += rest[..<percent]
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        text += "%"
        rest = rest.dropFirst()
        continue
      }
      let specifier = Specifier(&rest)
      text += specifier.text(next < values.endIndex ? values[next] : nil, showingPrivate)
      next += 1
    }
    return text + rest
  }

  /// What follows a percent sign: options in braces, flags and precision, the value's length and type.
  private struct Specifier {
    private var options: Substring = ""
    private var flags: Substring = ""
    private var type: Character = "@"

    init(_ rest: inout Substring) {
      if rest.first == "{", let end = rest.firstIndex(of: "}") {
        options = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
      }
      flags = rest.prefix { "0123456789.+- #".contains($0) }
      rest = rest.dropFirst(flags.count).drop { "hljztqL".contains($0) }
      type = rest.popFirst() ?? "@"
    }

    func text(_ value: Any?, _ showsPrivate: Bool) -> String {
      guard let value else { return "<missing>" }
      let isText = type == "@" || type == "s" || type == "S"
      let names = options.split(separator: ",").map { $0.filter { $0 != " " } }
      if !showsPrivate {
        if names.contains("sensitive") { return "<sensitive>" }
        if names.contains("private") || isText && !names.contains("public") { return "<private>" }
      }
      return isText ? "\(value)" : number(value)
    }

    private func number(_ value: Any) -> String {
      switch type {
      case "f", "F", "e", "E", "g", "G", "a":
        guard let number = (value as? Double) ?? (value as? Float).map(Double.init) ?? (value as? NSNumber)?.doubleValue else { break }
        return String(format: "%\(bounded)\(type)", number)
      case "d", "i", "D", "u", "U", "x", "X", "o":
        guard let number = value as? any BinaryInteger else { break }
        let signed = type == "d" || type == "i" || type == "D"
        return signed
          ? String(format: "%\(bounded)lld", Int64(clamping: number))
          : String(format: "%\(bounded)ll\(type == "U" ? "u" : type)", UInt64(truncatingIfNeeded: number))
      default: break
      }
      return "\(value)"
    }

    /// The flags, if their numbers are of a size that messages have.
    private var bounded: Substring {
      flags.split { !$0.isNumber }.allSatisfy { (Int($0) ?? .max) <= 4096 } ? flags : ""
    }
  }
}
