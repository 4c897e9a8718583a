import Foundation
import LoadingModel

/// Writes messages to standard error or standard output, and below them lines of progress that are redrawn in place. Thread-safe.
final class Console: Sendable {
  private let tellsErrors: Bool
  private let descriptor: Int32
  /// Whether the descriptor is a terminal.
  let isTerminal: Bool
  /// Whether progress can be shown: on a terminal that can redraw lines, or as JSON.
  let showsProgress: Bool
  /// The widths of the lines of progress on the screen, in characters.
  private let shownLines = Mutex<[Int]>([])

  /// The form of progress: a bar or JSON.
  let progress: ProgressForm

  init(tellsErrors: Bool, descriptor: Int32 = STDERR_FILENO, progress: ProgressForm = .bar) {
    self.progress = progress
    self.tellsErrors = tellsErrors
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    showsProgress = progress == .json || isTerminal && ProcessEnvironment.value("TERM") != "dumb"
  }

  /// The terminal's width in columns; 80 if it isn't a terminal.
  var width: Int { size.map { Int($0.ws_col) }.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

  /// The terminal's height in lines; 24 if it isn't a terminal.
  var height: Int { size.map { Int($0.ws_row) }.flatMap { $0 > 0 ? $0 : nil } ?? 24 }

  private var size: winsize? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Writes a line, in the place of the lines of progress, which are drawn below it the next time.
  func line(_ text: String) {
    shownLines.withLock { shown in
      write(Console.erase(shown, columns: width) + text + "\n")
      shown = []
    }
  }

  /// Reports a failure in one line; does nothing with `--silent`.
  /// - Parameter url: The URL of the load, if there are several loads.
  func tell(_ failure: ToolFailure, about url: String? = nil) {
    guard tellsErrors, !failure.message.isEmpty else { return }
    let text = failure.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let subject = url.map { "\(Masking.url($0).shortened(200)): " } ?? ""
    line("urlload: \(Printable.text(subject + text))")
  }

  /// Draws new lines of progress in the place of the old ones.
  func draw(progress lines: [String]) {
    shownLines.withLock { shown in
      write(Console.erase(shown.isEmpty ? [0] : shown, columns: width) + lines.joined(separator: "\n"))
      shown = lines.map(\.count)
    }
  }

  /// Ends the progress: writes its last line, or only removes what is shown if that is nil.
  func endProgress(keeping last: String?) {
    shownLines.withLock { shown in
      write(Console.erase(shown.isEmpty && last != nil ? [0] : shown, columns: width) + (last.map { $0 + "\n" } ?? ""))
      shown = []
    }
  }

  /// The escape sequence that moves to the start of lines of these widths, and erases them.
  private static func erase(_ widths: [Int], columns: Int) -> String {
    // A terminal that has become narrower shows a long line in several rows.
    switch widths.reduce(0, { $0 + max(1, ($1 + columns - 1) / columns) }) {
    case ...0: ""
    case 1: "\r\u{1B}[K"
    case let rows: "\r\u{1B}[\(rows - 1)A\u{1B}[J"
    }
  }

  private func write(_ text: String) {
    // Errors are ignored, because there is no other place to report them.
    _ = Descriptor.writeAll(Data(text.utf8), to: descriptor)
  }
}
