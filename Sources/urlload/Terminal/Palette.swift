import Foundation
import LoadingModel

/// Whether text is emphasized by colours and styles.
enum Palette: Sendable {
  case plain
  case coloured

  /// Colours, unless NO_COLOR is set (https://no-color.org) or the terminal has none.
  static var forTerminal: Palette {
    let environment = ProcessEnvironment.variables
    return environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb" ? .plain : .coloured
  }

  func bold(_ text: String) -> String { styled(text, "1") }
  func faint(_ text: String) -> String { styled(text, "2") }
  func red(_ text: String) -> String { styled(text, "31") }
  func green(_ text: String) -> String { styled(text, "32") }
  func blue(_ text: String) -> String { styled(text, "34") }

  private func styled(_ text: String, _ code: String) -> String {
    switch self {
    case .plain: text
    case .coloured: "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
  }
}
