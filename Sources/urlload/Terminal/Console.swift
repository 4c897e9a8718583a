import Foundation
import Synchronization

/// Standard error: messages, and at its end a progress line that is drawn anew each time. Thread-safe.
final class Console: Sendable {
  private let tellsErrors: Bool
  /// Whether somebody watches.
  let isTerminal = isatty(STDERR_FILENO) == 1
  private let showsProgress = Mutex(false)

  init(tellsErrors: Bool) { self.tellsErrors = tellsErrors }

  /// The terminal's width in columns; 80 where there is no terminal.
  var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes a line above the progress.
  func line(_ text: String) {
    showsProgress.withLock { isShown in
      write((isShown ? Console.erase : "") + text + "\n")
      isShown = false
    }
  }

  /// Says why a load failed, in one line.
  func tell(_ failure: ToolFailure) {
    guard tellsErrors, !failure.message.isEmpty else { return }
    let text = failure.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    line("urlload: \(Printable.text(text))")
  }

  /// Replaces the progress line.
  func draw(progress: String) {
    showsProgress.withLock { isShown in
      write(Console.erase + progress)
      isShown = true
    }
  }

  /// Ends the progress: its last state stays, or it is removed.
  func endProgress(keeping last: String?) {
    showsProgress.withLock { isShown in
      if let last { write(Console.erase + last + "\n") } else if isShown { write(Console.erase) }
      isShown = false
    }
  }

  /// To the first column, and remove what is there.
  private static let erase = "\r\u{1B}[K"

  private func write(_ text: String) {
    // A console that can't be written to has nobody who could be told.
    _ = Descriptor.writeAll(Data(text.utf8), to: STDERR_FILENO)
  }
}
