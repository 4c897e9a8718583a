import LoadingModel

/// Escape sequences of the colours for JSON and heads, from the terminal's sixteen colours.
struct Theme: Sendable, Equatable {
  let name: String
  let string: String
  let number: String
  /// The colour of true, false and null.
  let word: String
  let end = "\u{1B}[0m"

  /// For a dark background.
  static let dark = Theme(name: "\u{1B}[94m", string: "\u{1B}[32m", number: "\u{1B}[36m", word: "\u{1B}[35m")
  /// For a light background.
  static let light = Theme(name: "\u{1B}[34m", string: "\u{1B}[31m", number: "\u{1B}[35m", word: "\u{1B}[1m")

  /// The theme that `URLLOAD_THEME` names (dark or light), else the one for the background that `COLORFGBG` tells, else the dark one.
  static var ofTerminal: Theme {
    switch ProcessEnvironment.value("URLLOAD_THEME") {
    case "light": return .light
    case "dark": return .dark
    default:
      let ground = ProcessEnvironment.value("COLORFGBG")?.split(separator: ";").last.flatMap { Int($0) }
      return ground == 7 || ground == 15 ? .light : .dark
    }
  }
}
