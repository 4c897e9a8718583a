import Foundation

/// Makes help texts from the tables of options. Pure.
struct HelpText<Options>: Sendable {
  let groups: [OptionSection<Options>]
  let width: Int

  /// The title and all options of a group.
  func lines(of group: OptionSection<Options>) -> [String] { ["", group.title.uppercased()] + group.entries.flatMap(lines) }

  /// One line for each of the group's options that are on the first page of `--help`.
  func summary(of group: OptionSection<Options>) -> [String] {
    group.entries.filter(\.isEssential).map { entry in
      let names = "  " + HelpText.names(entry)
      let first = entry.help.prefix(upTo: entry.help.firstRange(of: ". ")?.lowerBound ?? entry.help.endIndex)
      let sentence = first.hasSuffix(".") ? first.dropLast() : first
      let head = names.alignedLeft(HelpText.indent - 1) + " "
      let lines = String(sentence).wrapped(max(20, width - head.count - 1))
      return head + (lines.first ?? "") + (lines.count > 1 ? "…" : "")
    }
  }

  private static var indent: Int { 28 }

  private func lines(of entry: OptionEntry<Options>) -> [String] {
    let names = "  " + HelpText.names(entry)
    let texts = entry.help.wrapped(max(30, width - HelpText.indent))
    let margin = String(repeating: " ", count: HelpText.indent)
    if names.count + 2 <= HelpText.indent, let first = texts.first {
      return [names.alignedLeft(HelpText.indent) + first] + texts.dropFirst().map { margin + $0 }
    }
    return [names] + texts.map { margin + $0 }
  }

  /// The option's names and value, as in "-o, --output <file>".
  static func names(_ entry: OptionEntry<Options>) -> String {
    let letters = entry.letters.map { "-\($0)" }
    let value =
      switch entry.action {
      case .flag: ""
      case .value(let value, _): " <\(value.name)>"
      case .count(let value, _): " [\(value.name)]"
      case .word(let value, _): "[=\(value.name)]"
      }
    return (letters + ["--\(entry.name)"]).joined(separator: ", ") + value
  }
}
