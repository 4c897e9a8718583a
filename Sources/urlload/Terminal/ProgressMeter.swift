import Dispatch
import Foundation
import Synchronization

/// Draws a load's progress ten times a second, as wide as the terminal is then.
///
/// Owned by a `Fetch`. Counted on the delegate queue, drawn on a queue of its own; the numbers are behind a mutex.
final class ProgressMeter: Sendable {
  private struct State {
    var line = ProgressLine()
    var rate = TransferRate()
    var timer: (any DispatchSourceTimer)?
  }

  /// Loads that are over within this time get their final line only.
  private static let quiet = DispatchTimeInterval.milliseconds(200)
  private static let interval = DispatchTimeInterval.milliseconds(100)

  private let console: Console
  private let begin = DispatchTime.now()
  private let state = Mutex(State())

  init(_ console: Console) { self.console = console }

  /// Begins to draw.
  func start() {
    state.withLock { state in
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "urlload progress"))
      timer.schedule(deadline: .now() + ProgressMeter.quiet, repeating: ProgressMeter.interval)
      timer.setEventHandler { [weak self] in self?.draw() }
      state.timer = timer
      timer.resume()
    }
  }

  /// The body's length is known, if it isn't negative.
  func expect(_ length: Int64) {
    state.withLock { $0.line.expected = length < 0 ? nil : length }
  }

  /// More of the body has come.
  func advance(by count: Int) {
    state.withLock { $0.line.received += Int64(count) }
  }

  /// Leaves a final line.
  func finish() {
    let last = end { line in
      line.isComplete = true
      // The rate of the whole, not of the last seconds.
      line.rate = line.elapsed > 0 ? Double(line.received) / line.elapsed : nil
    }
    if let last { console.endProgress(keeping: last.text(width: console.width)) }
  }

  /// Removes the line: the load has failed, which is told otherwise.
  func abandon() {
    if end({ _ in }) != nil { console.endProgress(keeping: nil) }
  }

  private func draw() {
    let line = state.withLock { state -> ProgressLine? in
      guard state.timer != nil else { return nil }
      state.line.elapsed = elapsed
      state.rate.note(total: state.line.received, at: elapsed)
      state.line.rate = state.rate.bytesPerSecond
      return state.line
    }
    if let line { console.draw(progress: line.text(width: console.width)) }
  }

  private func end(_ change: (inout ProgressLine) -> Void) -> ProgressLine? {
    state.withLock { state in
      guard let timer = state.timer else { return nil }
      timer.cancel()
      state.timer = nil
      state.line.elapsed = elapsed
      change(&state.line)
      return state.line
    }
  }

  private var elapsed: Double { Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9 }
}
