import Foundation
import LoadingModel

/// A terminal in which the user types lines while other lines are written above them. Thread-safe; one thread reads.
final class TypingTerminal: Sendable {
  private struct State {
    var editor = LineEditor()
    var keys = KeyParser()
    /// Keys that were read together with the end of the last line.
    var rest: [TypedKey] = []
    /// Whether the typed line is shown.
    var isShown = false
    /// The terminal's original settings; nil once they are restored.
    var saved: termios?
  }

  private let console: Console
  private let prompt: String
  private let state = Mutex(State())

  /// nil if input or output isn't a terminal, or the terminal can't redraw lines.
  init?(prompt: String) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, let kind = ProcessEnvironment.value("TERM"), !["", "dumb"].contains(kind)
    else { return nil }
    self.prompt = prompt
    console = Console(tellsErrors: true, descriptor: STDOUT_FILENO)
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    state.withLock { $0.saved = settings }
    // Keys are read one by one and echoed by this class; Ctrl-C still sends a signal.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Restores the terminal's original settings.
  func restore() {
    state.withLock { state in
      if state.isShown { TypingTerminal.write("\r\u{1B}[K") }
      state.isShown = false
      guard var saved = state.saved else { return }
      state.saved = nil
      tcsetattr(STDIN_FILENO, TCSADRAIN, &saved)
    }
  }

  /// The next line that the user types; nil at the end of the input. Blocks.
  func next() -> String? {
    state.withLock { state in
      state.isShown = true
      draw(&state)
    }
    while true {
      let outcome = state.withLock { state in
        while !state.rest.isEmpty {
          let outcome = state.editor.take(state.rest.removeFirst())
          if outcome != .goesOn { return finish(outcome, &state) }
        }
        draw(&state)
        return .goesOn
      }
      switch outcome {
      case .line(let line): return line
      case .ended: return nil
      case .goesOn: break
      }
      guard let bytes = TypingTerminal.read() else { return nil }
      state.withLock { $0.rest += $0.keys.take(bytes) }
    }
  }

  private func finish(_ outcome: LineEditor.Outcome, _ state: inout State) -> LineEditor.Outcome {
    var shown = "\r\u{1B}[K"
    if case .line(let line) = outcome { shown += prompt + Printable.text(line) + "\n" }
    TypingTerminal.write(shown)
    state.isShown = false
    return outcome
  }

  /// Writes a text, which ends with a line break, above the typed line.
  func show(_ text: String) {
    state.withLock { state in
      TypingTerminal.write(state.isShown ? "\r\u{1B}[K" + text : text)
      draw(&state)
    }
  }

  private func draw(_ state: inout State) {
    guard state.isShown else { return }
    // Escape sequences for colours in the prompt take no columns.
    let width = prompt.replacing(/\u{1B}\[[0-9;]*m/, with: "").count
    let (text, column) = state.editor.visible(columns: console.width - width)
    TypingTerminal.write("\r\u{1B}[K\(prompt)\(text)\r\u{1B}[\(width + column)C")
  }

  private static func write(_ text: String) {
    // Errors are ignored: if the terminal is gone, reading finds the end of the input.
    _ = Descriptor.writeAll(Data(text.utf8), to: STDOUT_FILENO)
  }

  private static func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
      if count > 0 { return Array(bytes.prefix(count)) }
      guard count < 0, errno == EINTR || errno == EAGAIN else { return nil }
      var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      _ = poll(&ready, 1, -1)
    }
  }
}
