import Foundation
import LoadingModel

/// Standard error, or standard output: messages, and at its end a progress line that is drawn anew each time. Thread-safe.
final class Console: Sendable {
  private let tellsErrors: Bool
  private let descriptor: Int32
  /// Whether it is a terminal.
  let isTerminal: Bool
  /// Whether progress can be drawn.
  let showsProgress: Bool
  /// The widths of the lines of progress that are shown.
  private let shownLines = Mutex<[Int]>([])

  /// How progress is shown.
  let progress: ProgressForm

  init(tellsErrors: Bool, descriptor: Int32 = STDERR_FILENO, progress: ProgressForm = .bar) {
    self.progress = progress
    self.tellsErrors = tellsErrors
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    showsProgress = progress == .json || isTerminal && ProcessEnvironment.value("TERM") != "dumb"
  }

  /// The terminal's width in columns; 80 where there is no terminal.
  var width: Int { size.map { Int($0.ws_col) }.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

  /// The terminal's height in lines; 24 where there is no terminal.
  var height: Int { size.map { Int($0.ws_row) }.flatMap { $0 > 0 ? $0 : nil } ?? 24 }

  private var size: winsize? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Writes a line above the progress.
  func line(_ text: String) {
    shownLines.withLock { shown in
      write(Console.erase(shown, columns: width) + text + "\n")
      shown = []
    }
  }

  /// Says why a load failed, in one line.
  /// - Parameter url: Which load it was, where there are several.
  func tell(_ failure: ToolFailure, about url: String? = nil) {
    guard tellsErrors, !failure.message.isEmpty else { return }
    let text = failure.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let subject = url.map { "\(Masking.url($0).shortened(200)): " } ?? ""
    line("urlload: \(Printable.text(subject + text))")
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
    _ = Descriptor.writeAll(Data(text.utf8), to: descriptor)
  }
}
