/// Parses a command line by a table of options, as curl does: single letters may be joined ("-fsSo file", "-dname=value"), an option's value may
/// begin with a hyphen, and "--" ends the options. Pure.
struct CommandLineParser<Options>: Sendable {
  /// An option as the command line gives it.
  struct Given: Sendable {
    let entry: OptionEntry<Options>
    let value: String?
    let isTakenBack: Bool
  }

  /// The parsed command line: words that aren't options, and the options.
  struct Words: Sendable {
    var plain: [String] = []
    var given: [Given] = []
    /// Indices in `plain` of words that directly follow `-i`, which may be wget's `-i FILE`.
    var behindInclude: Set<Int> = []
  }

  private let byName: [String: OptionEntry<Options>]
  private let byLetter: [Character: OptionEntry<Options>]
  /// A message about an option that isn't in the table; nil if there is none for it.
  private let explanation: @Sendable (String) -> String?

  init(_ groups: [OptionSection<Options>], explanation: @escaping @Sendable (String) -> String? = { _ in nil }) {
    var byName: [String: OptionEntry<Options>] = [:]
    var byLetter: [Character: OptionEntry<Options>] = [:]
    for entry in groups.flatMap(\.entries) {
      for name in [entry.name] + entry.aliases { byName[name] = entry }
      for letter in entry.letters { byLetter[letter] = entry }
    }
    (self.byName, self.byLetter, self.explanation) = (byName, byLetter, explanation)
  }

  /// Parses `arguments`, and applies their options to `options`.
  func parse(_ arguments: [String], into options: inout Options) throws(UsageError) -> Words {
    var words = Words()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words.plain += rest
        return words
      }
      if argument.hasPrefix("--") {
        try long(argument.dropFirst(2), &rest, &options, &words)
      } else if argument.hasPrefix("-"), argument.count > 1 {
        try short(argument, &rest, &options, &words)
      } else {
        words.plain.append(argument)
      }
    }
    return words
  }

  private func long(
    _ text: Substring, _ rest: inout ArraySlice<String>, _ options: inout Options, _ words: inout Words
  ) throws(UsageError) {
    if let entry = byName[String(text)] { return try apply(entry, "--\(text)", nil, &rest, &options, &words) }
    if text.hasPrefix("no-"), let entry = byName[String(text.dropFirst(3))], case .flag(let change) = entry.action {
      change(&options, false)
      words.given.append(Given(entry: entry, value: nil, isTakenBack: true))
      return
    }
    if let sign = text.firstIndex(of: "="), let entry = byName[String(text[..<sign])] {
      if case .flag = entry.action { throw UsageError("--\(text[..<sign]) takes nothing; leave \"\(text[sign...])\" out.") }
      return try apply(entry, "--\(text[..<sign])", String(text[text.index(after: sign)...]), &rest, &options, &words)
    }
    throw unknown("--\(text.prefix { $0 != "=" })")
  }

  private func short(
    _ argument: String, _ rest: inout ArraySlice<String>, _ options: inout Options, _ words: inout Words
  ) throws(UsageError) {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let entry = byLetter[letter] else { throw unknown("-\(letter)") }
      switch entry.action {
      case .flag, .word:
        try apply(entry, "-\(letter)", nil, &rest, &options, &words)
        if letter == "i", letters.isEmpty { words.behindInclude.insert(words.plain.count) }
      case .value, .count:
        let joined = letters.isEmpty ? nil : String(letters)
        if case .count = entry.action, let joined, Int(joined) == nil {
          try apply(entry, "-\(letter)", nil, &rest, &options, &words)
          continue
        }
        return try apply(entry, "-\(letter)", joined, &rest, &options, &words)
      }
    }
  }

  private func apply(
    _ entry: OptionEntry<Options>, _ written: String, _ joined: String?, _ rest: inout ArraySlice<String>, _ options: inout Options,
    _ words: inout Words
  ) throws(UsageError) {
    var given: String?
    switch entry.action {
    case .flag(let change): change(&options, true)
    case .value(let value, let change):
      guard let text = joined ?? rest.popFirst() else { throw UsageError("\(written) takes <\(value.name)>, which is missing.") }
      try change(&options, text)
      given = text
    case .word(_, let change):
      try change(&options, joined)
      given = joined
    case .count(let value, let change):
      if let joined, Int(joined) == nil { throw UsageError("\(written) takes <\(value.name)>, a number, not \"\(joined)\".") }
      given = joined
      if given == nil, let next = rest.first, Int(next) != nil { given = rest.popFirst() }
      try change(&options, given.flatMap { Int($0) })
    }
    words.given.append(Given(entry: entry, value: given, isTakenBack: false))
  }

  private func unknown(_ option: String) -> UsageError {
    if let explanation = explanation(option) { return UsageError(explanation) }
    let near = nearest(to: option).map { " Did you mean --\($0)?" } ?? ""
    return UsageError("There is no option \(option).\(near)")
  }

  /// The option whose name is nearest, for "Did you mean"; nil if none is near.
  private func nearest(to option: String) -> String? {
    guard option.hasPrefix("--") else { return nil }
    let wanted = Array(option.dropFirst(2))
    let distances = byName.keys.map { ($0, Self.distance(wanted, Array($0))) }.filter { $0.1 <= max(1, wanted.count / 3) }
    return distances.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// The Levenshtein distance: letters to be changed, left out or added.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in right.enumerated() {
        (diagonal, row[column + 1]) = (row[column + 1], min(row[column + 1] + 1, row[column] + 1, diagonal + (letter == other ? 0 : 1)))
      }
    }
    return row[right.count]
  }
}
