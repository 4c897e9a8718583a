import LoadingModel

/// The colours of JSON and of heads, as the terminal's own sixteen: beginnings of escape sequences.
struct Theme: Sendable, Equatable {
  let name: String
  let string: String
  let number: String
  /// true, false and null.
  let word: String
  let end = "\u{1B}[0m"

  /// For light text on a dark ground.
  static let dark = Theme(name: "\u{1B}[94m", string: "\u{1B}[32m", number: "\u{1B}[36m", word: "\u{1B}[35m")
  /// For dark text on a light ground.
  static let light = Theme(name: "\u{1B}[34m", string: "\u{1B}[31m", number: "\u{1B}[35m", word: "\u{1B}[1m")

  /// `URLLOAD_THEME` says dark or light; else what the terminal says of its ground (`COLORFGBG`), which is dark where it says nothing.
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
