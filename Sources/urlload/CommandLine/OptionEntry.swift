/// One option of a command: its names, its value, and what it changes.
///
/// Parser, `--help`, manual page, shell completions and `--curl` all use the tables of these entries.
struct OptionEntry<Options>: Sendable {
  enum Action: Sendable {
    /// Takes no value; the closure gets false for `--no-NAME`.
    case flag(@Sendable (inout Options, Bool) -> Void)
    case value(OptionValue, @Sendable (inout Options, String) throws(UsageError) -> Void)
    /// Takes a value only if an equals sign joins it to the option, as in `--metrics=json`.
    case word(OptionValue, @Sendable (inout Options, String?) throws(UsageError) -> Void)
    /// Takes the next word as its value if that is a number.
    case count(OptionValue, @Sendable (inout Options, Int?) throws(UsageError) -> Void)
  }

  /// How `--curl` writes the option.
  enum CurlForm: Sendable, Equatable {
    case same
    /// curl's name for it.
    case named(String)
    /// Left out: it is curl's default, or curl has no such option.
    case none
  }

  let name: String
  let letters: [Character]
  /// Further names of the option.
  var aliases: [String] = []
  /// One or two sentences about the option, for help texts.
  let help: String
  let action: Action
  var curl = CurlForm.same
  /// Whether the option is on the first page of `--help`.
  var isEssential = false

  static func flag(
    _ name: String, _ letters: Character..., help: String, _ change: @escaping @Sendable (inout Options, Bool) -> Void
  ) -> OptionEntry {
    OptionEntry(name: name, letters: letters, help: help, action: .flag(change))
  }

  static func value(
    _ name: String, _ letters: Character..., takes value: OptionValue, help: String,
    _ change: @escaping @Sendable (inout Options, String) throws(UsageError) -> Void
  ) -> OptionEntry {
    OptionEntry(name: name, letters: letters, help: help, action: .value(value, change))
  }

  /// An option that takes a number of seconds above 0, or of 0 and above with `allowsZero`.
  static func seconds(
    _ name: String, _ letters: Character..., help: String, allowsZero: Bool = false,
    _ change: @escaping @Sendable (inout Options, Double) -> Void
  ) -> OptionEntry {
    OptionEntry(
      name: name, letters: letters, help: help,
      action: .value(OptionValue("seconds")) { options, text throws(UsageError) in
        guard let seconds = Double(text), seconds.isFinite, seconds > 0 || allowsZero && seconds == 0 else {
          throw UsageError("--\(name) takes a number of seconds \(allowsZero ? "of 0 and above" : "above 0").")
        }
        change(&options, seconds)
      })
  }

  /// An option that takes a number in `range`.
  /// - Parameter value: The name of the value in help texts.
  static func number(
    _ name: String, _ letters: Character..., takes value: String, help: String, in range: ClosedRange<Int>,
    _ change: @escaping @Sendable (inout Options, Int) -> Void
  ) -> OptionEntry {
    let bounds = range.upperBound == .max ? "of \(range.lowerBound) and above" : "from \(range.lowerBound) to \(range.upperBound)"
    return OptionEntry(
      name: name, letters: letters, help: help,
      action: .value(OptionValue(value)) { options, text throws(UsageError) in
        guard let number = Int(text), range.contains(number) else { throw UsageError("--\(name) takes a number \(bounds).") }
        change(&options, number)
      })
  }

  /// The same option with further names.
  func also(_ names: String...) -> OptionEntry { with { $0.aliases += names } }

  /// The same option with another form for `--curl`.
  func inCurl(_ form: CurlForm) -> OptionEntry { with { $0.curl = form } }

  /// The same option, on the first page of `--help`.
  var essential: OptionEntry { with { $0.isEssential = true } }

  private func with(_ change: (inout OptionEntry) -> Void) -> OptionEntry {
    var entry = self
    change(&entry)
    return entry
  }

  /// The same option for `Whole`, of whose options these are a part.
  func of<Whole>(_ part: any WritableKeyPath<Whole, Options> & Sendable) -> OptionEntry<Whole> {
    let lifted: OptionEntry<Whole>.Action =
      switch action {
      case .flag(let change): .flag { change(&$0[keyPath: part], $1) }
      case .value(let value, let change):
        .value(value) { whole, text throws(UsageError) in try change(&whole[keyPath: part], text) }
      case .word(let value, let change):
        .word(value) { whole, text throws(UsageError) in try change(&whole[keyPath: part], text) }
      case .count(let value, let change):
        .count(value) { whole, count throws(UsageError) in try change(&whole[keyPath: part], count) }
      }
    return OptionEntry<Whole>(
      name: name, letters: letters, aliases: aliases, help: help, action: lifted, curl: curl.lifted(), isEssential: isEssential)
  }
}

extension OptionEntry.CurlForm {
  fileprivate func lifted<Whole>() -> OptionEntry<Whole>.CurlForm {
    switch self {
    case .same: .same
    case .named(let name): .named(name)
    case .none: .none
    }
  }
}

/// The value of an option.
struct OptionValue: Sendable {
  /// What shells offer as completions for the value.
  enum Kind: Sendable, Equatable {
    case text
    case file
    case folder
    case words([String])
  }

  /// The value's name in help texts, as in `<file>`.
  let name: String
  let kind: Kind

  init(_ name: String, _ kind: Kind = .text) { (self.name, self.kind) = (name, kind) }

  static let file = OptionValue("file", .file)
  static let url = OptionValue("url")
}

/// A group of options, under one title in help texts.
struct OptionSection<Options>: Sendable {
  let title: String
  let entries: [OptionEntry<Options>]

  /// The same group for `Whole`, of whose options these are a part.
  func of<Whole>(_ part: any WritableKeyPath<Whole, Options> & Sendable) -> OptionSection<Whole> {
    OptionSection<Whole>(title: title, entries: entries.map { $0.of(part) })
  }
}
