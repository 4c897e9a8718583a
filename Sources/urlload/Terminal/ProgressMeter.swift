import Dispatch
import Foundation
import LoadingModel

/// Counts and draws a load's progress, ten times a second, in the terminal's present width.
///
/// Owned by a `Transfer` or `SegmentedTransfer`. Bytes are counted on the delegate queue, and drawn on a queue of its own; the numbers are behind a
/// mutex.
final class ProgressMeter: Sendable {
  private struct State {
    var line = ProgressLine()
    /// Bytes that existed before this load, and don't count for its rate.
    var base: Int64 = 0
    var rate = TransferRate()
    var timer: (any DispatchSourceTimer)?
  }

  /// Time before the first drawing: shorter loads only write their final line.
  private static let quiet = DispatchTimeInterval.milliseconds(200)
  private static let interval = DispatchTimeInterval.milliseconds(100)

  private let console: Console
  private let begin = DispatchTime.now()
  private let state = Mutex(State())

  private let counts: Counted
  private let board: ProgressBoard?
  let name: String

  /// - Parameters:
  ///   - counts: Whether received or sent bytes are counted.
  ///   - expected: Number of bytes to send; nil if unknown.
  ///   - board: Draws the line among those of parallel loads; nil for a single load.
  ///   - name: The beginning of the line on a board.
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

  /// The response's body begins at an offset of the whole content, whose length is `total` if known. Ignored if sent bytes are counted.
  func expect(from offset: Int64, total: Int64?) {
    guard counts == .received else { return }
    state.withLock { state in
      // Bytes of an earlier attempt either belong to the existing part, or are lost.
      state.base = max(0, offset - (state.line.received - state.base))
      state.line.received = offset
      state.line.expected = total
    }
  }

  /// `total` bytes of the body have been sent, `count` of them since the last call.
  func noteSent(_ total: Int64, by count: Int64) {
    guard counts == .sent else { return }
    state.withLock { state in
      // A difference to the last report was sent by an earlier attempt, or has to be sent again: it doesn't count for the rate.
      state.base += total - count - state.line.received
      state.line.received = total
    }
  }

  /// Counts further received bytes.
  func advance(by count: Int) {
    guard counts == .received else { return }
    state.withLock { $0.line.received += Int64(count) }
  }

  /// Ends the drawing, and writes the final line.
  func finish() {
    if let board { return board.finish(self) }
    let last = end() ? final : nil
    if console.progress == .json { return console.line((last ?? final).json(name)) }
    if let last { console.endProgress(keeping: last.text(width: console.width)) }
  }

  /// Ends the drawing, and removes the line, because the load has failed.
  func abandon() {
    if let board { return board.abandon(self) }
    if end() { console.endProgress(keeping: nil) }
  }

  private func draw() {
    guard state.withLock({ $0.timer != nil }) else { return }
    if console.progress == .json { return console.line(current.json(name)) }
    console.draw(progress: [current.text(width: console.width)])
  }

  /// The line for now.
  var current: ProgressLine {
    state.withLock { state in
      state.line.elapsed = elapsed
      state.rate.note(total: state.line.received - state.base, at: elapsed)
      state.line.rate = state.rate.bytesPerSecond
      return state.line
    }
  }

  /// The line for the end of the load.
  var final: ProgressLine {
    state.withLock { state in
      var line = state.line
      line.isComplete = true
      line.elapsed = elapsed
      line.rate = elapsed > 0 ? Double(max(0, line.received - state.base)) / elapsed : nil
      return line
    }
  }

  /// - Returns: Whether the meter was drawing.
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

/// The direction in which bytes are counted.
enum Counted: Sendable {
  case received
  case sent
}
