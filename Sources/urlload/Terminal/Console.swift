import Foundation
import Synchronization

/// Standard error: messages, and at its end a progress line that is drawn anew each time. Thread-safe.
final class Console: Sendable {
  private let tellsErrors: Bool
  /// Whether standard error is a terminal.
  let isTerminal = isatty(STDERR_FILENO) == 1
  /// Whether progress can be drawn.
  let showsProgress = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  /// The widths of the lines of progress that are shown.
  private let shownLines = Mutex<[Int]>([])

  init(tellsErrors: Bool) { self.tellsErrors = tellsErrors }

  /// The terminal's width in columns; 80 where there is no terminal.
  var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes a line above the progress.
  func line(_ text: String) {
    shownLines.withLock { shown in
      write(Console.erase(shown, columns: width) + text + "\n")
      shown = []
    }
  }

  /// Says why a load failed, in one line.
  func tell(_ failure: ToolFailure) {
    guard tellsErrors, !failure.message.isEmpty else { return }
    let text = failure.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    line("urlload: \(Printable.text(text))")
  }

  /// Replaces the lines of progress.
  func draw(progress lines: [String]) {
    shownLines.withLock { shown in
      write(Console.erase(shown.isEmpty ? [0] : shown, columns: width) + lines.joined(separator: "\n"))
      shown = lines.map(\.count)
    }
  }

  /// Ends the progress: its last state stays, or it is removed.
  func endProgress(keeping last: String?) {
    shownLines.withLock { shown in
      write(Console.erase(shown.isEmpty && last != nil ? [0] : shown, columns: width) + (last.map { $0 + "\n" } ?? ""))
      shown = []
    }
  }

  /// To the first column of the first of lines of these widths, and remove what is there.
  private static func erase(_ widths: [Int], columns: Int) -> String {
    // A terminal that has become narrower has broken the lines.
    switch widths.reduce(0, { $0 + max(1, ($1 + columns - 1) / columns) }) {
    case ...0: ""
    case 1: "\r\u{1B}[K"
    case let rows: "\r\u{1B}[\(rows - 1)A\u{1B}[J"
    }
  }

  private func write(_ text: String) {
    // There is no other place to report that the console can't be written to.
    _ = Descriptor.writeAll(Data(text.utf8), to: STDERR_FILENO)
  }
}
