import Dispatch
import Foundation
import LoadingModel

/// Draws a load's progress ten times a second, as wide as the terminal is then.
///
/// Owned by a `Fetch`. Counted on the delegate queue, drawn on a queue of its own; the numbers are behind a mutex.
final class ProgressMeter: Sendable {
  private struct State {
    var line = ProgressLine()
    /// Bytes that were there before.
    var base: Int64 = 0
    var rate = TransferRate()
    var timer: (any DispatchSourceTimer)?
  }

  /// Loads that are over within this time get their final line only.
  private static let quiet = DispatchTimeInterval.milliseconds(200)
  private static let interval = DispatchTimeInterval.milliseconds(100)

  private let console: Console
  private let begin = DispatchTime.now()
  private let state = Mutex(State())

  private let counts: Counted
  private let board: ProgressBoard?
  let name: String

  /// - Parameters:
  ///   - expected: Bytes to send.
  ///   - board: What draws the line among those of other loads, beginning with `name`.
  init(_ console: Console, counts: Counted = .received, expected: Int64? = nil, board: ProgressBoard? = nil, name: String = "") {
    self.console = console
    self.board = board
    self.name = name
    self.counts = counts
    state.withLock { $0.line.expected = expected }
  }

  /// Begins to draw.
  func start() {
    if let board { return board.add(self) }
    state.withLock { state in
      guard state.timer == nil else { return }
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "urlload progress"))
      timer.schedule(deadline: .now() + ProgressMeter.quiet, repeating: ProgressMeter.interval)
      timer.setEventHandler { [weak self] in self?.draw() }
      state.timer = timer
      timer.resume()
    }
  }

  /// The body begins at an offset of the whole, whose length may be known. What is sent counts instead, where something is.
  func expect(from offset: Int64, total: Int64?) {
    guard counts == .received else { return }
    state.withLock { state in
      // What was counted in an earlier try is there, or is lost.
      state.base = max(0, offset - (state.line.received - state.base))
      state.line.received = offset
      state.line.expected = total
    }
  }

  /// So much of the whole has been sent, `count` bytes of it just now.
  func noteSent(_ total: Int64, by count: Int64) {
    guard counts == .sent else { return }
    state.withLock { state in
      // What lies between this and the last report was sent earlier, or has to be sent again.
      state.base += total - count - state.line.received
      state.line.received = total
    }
  }

  /// More of the body has come.
  func advance(by count: Int) {
    guard counts == .received else { return }
    state.withLock { $0.line.received += Int64(count) }
  }

  /// Leaves a final line.
  func finish() {
    if let board { return board.finish(self) }
    let last = end() ? final : nil
    if console.progress == .json { return console.line((last ?? final).json(name)) }
    if let last { console.endProgress(keeping: last.text(width: console.width)) }
  }

  /// Removes the line: the load has failed, which is told otherwise.
  func abandon() {
    if let board { return board.abandon(self) }
    if end() { console.endProgress(keeping: nil) }
  }

  private func draw() {
    guard state.withLock({ $0.timer != nil }) else { return }
    if console.progress == .json { return console.line(current.json(name)) }
    console.draw(progress: [current.text(width: console.width)])
  }

  /// The line for the present state.
  var current: ProgressLine {
    state.withLock { state in
      state.line.elapsed = elapsed
      state.rate.note(total: state.line.received - state.base, at: elapsed)
      state.line.rate = state.rate.bytesPerSecond
      return state.line
    }
  }

  /// The line for the state at the end.
  var final: ProgressLine {
    state.withLock { state in
      var line = state.line
      line.isComplete = true
      line.elapsed = elapsed
      line.rate = elapsed > 0 ? Double(max(0, line.received - state.base)) / elapsed : nil
      return line
    }
  }

  /// - Returns: Whether there was something to end.
  private func end() -> Bool {
    state.withLock { state in
      guard let timer = state.timer else { return false }
      timer.cancel()
      state.timer = nil
      return true
    }
  }

  private var elapsed: Double { Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9 }
}

/// Whose bytes are counted.
enum Counted: Sendable {
  case received
  case sent
}
