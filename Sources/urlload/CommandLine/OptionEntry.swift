/// One option of a command: its names, what it takes, and what it changes.
///
/// The tables of these entries are what the parser, `--help`, the manual page, the completions and `--curl` read.
struct OptionEntry<Options>: Sendable {
  enum Action: Sendable {
    /// Takes nothing; false where it is taken back by `--no-NAME`.
    case flag(@Sendable (inout Options, Bool) -> Void)
    case value(OptionValue, @Sendable (inout Options, String) throws(UsageError) -> Void)
    /// Takes what an equals sign joins to it, and nothing else.
    case word(OptionValue, @Sendable (inout Options, String?) throws(UsageError) -> Void)
    /// Takes the word behind it if that is a number.
    case count(OptionValue, @Sendable (inout Options, Int?) throws(UsageError) -> Void)
  }

  /// How curl writes it.
  enum CurlForm: Sendable, Equatable {
    case same
    /// Under another name.
    case named(String)
    /// What it does is curl's default, or curl has nothing of the kind.
    case none
  }

  let name: String
  let letters: [Character]
  /// Further names.
  var aliases: [String] = []
  /// One or two sentences.
  let help: String
  let action: Action
  var curl = CurlForm.same
  /// Whether it is on the first page of `--help`.
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

  /// Takes a number of seconds above 0.
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

  /// Takes a number.
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

  /// With further names.
  func also(_ names: String...) -> OptionEntry { with { $0.aliases += names } }

  /// With another form for curl.
  func inCurl(_ form: CurlForm) -> OptionEntry { with { $0.curl = form } }

  /// On the first page of `--help`.
  var essential: OptionEntry { with { $0.isEssential = true } }

  private func with(_ change: (inout OptionEntry) -> Void) -> OptionEntry {
    var entry = self
    change(&entry)
    return entry
  }

  /// The entry for options that these are a part of.
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

/// What an option takes.
struct OptionValue: Sendable {
  /// What completes it at a prompt.
  enum Kind: Sendable, Equatable {
    case text
    case file
    case folder
    case words([String])
  }

  /// As help texts call it.
  let name: String
  let kind: Kind

  init(_ name: String, _ kind: Kind = .text) { (self.name, self.kind) = (name, kind) }

  static let file = OptionValue("file", .file)
  static let url = OptionValue("url")
}

/// Options that belong together, as help texts show them.
struct OptionSection<Options>: Sendable {
  let title: String
  let entries: [OptionEntry<Options>]

  /// The group for options that these are a part of.
  func of<Whole>(_ part: any WritableKeyPath<Whole, Options> & Sendable) -> OptionSection<Whole> {
    OptionSection<Whole>(title: title, entries: entries.map { $0.of(part) })
  }
}
