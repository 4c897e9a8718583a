import Dispatch
import Foundation
import LoadingModel

/// Draws the progress of several parallel loads: a line for all together, and one for each load below it.
///
/// Owned by a `FetchRun`; thread-safe.
final class ProgressBoard: Sendable {
  private struct State {
    var active: [ProgressMeter] = []
    /// Bytes received by loads that have ended.
    var received: Int64 = 0
    var finished = 0
    var rate = TransferRate()
    var timer: (any DispatchSourceTimer)?
  }

  private static let interval = DispatchTimeInterval.milliseconds(100)
  private static let longestName = 24

  private let console: Console
  /// Number of all loads of the run.
  private let count: Int
  private let begin = DispatchTime.now()
  private let state = Mutex(State())

  init(_ console: Console, count: Int) {
    self.console = console
    self.count = count
  }

  /// Adds the line of a load that begins.
  func add(_ meter: ProgressMeter) {
    state.withLock { state in
      if !state.active.contains(where: { $0 === meter }) { state.active.append(meter) }
      guard state.timer == nil else { return }
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "urlload progress"))
      timer.schedule(deadline: .now() + ProgressBoard.interval, repeating: ProgressBoard.interval)
      timer.setEventHandler { [weak self] in self?.draw() }
      state.timer = timer
      timer.resume()
    }
  }

  /// A load has ended: its final line is written above the others.
  func finish(_ meter: ProgressMeter) {
    let line = meter.final
    remove(meter, line.received)
    console.line(ProgressBoard.text(meter.name, line, width: console.width))
  }

  /// A load has failed: its line is removed, and its failure is reported elsewhere.
  func abandon(_ meter: ProgressMeter) {
    remove(meter, meter.current.received)
    console.endProgress(keeping: nil)
  }

  private func remove(_ meter: ProgressMeter, _ received: Int64) {
    state.withLock { state in
      guard let index = state.active.firstIndex(where: { $0 === meter }) else { return }
      state.active.remove(at: index)
      state.received += received
      state.finished += 1
      guard state.active.isEmpty else { return }
      state.timer?.cancel()
      state.timer = nil
    }
  }

  private func draw() {
    let (active, done, finished) = state.withLock { ($0.timer == nil ? [] : $0.active, $0.received, $0.finished) }
    guard !active.isEmpty else { return }
    let lines = active.map { ($0.name, $0.current) }
    let elapsed = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
    var total = ProgressLine(received: lines.reduce(done) { $0 + $1.1.received }, elapsed: elapsed)
    // The total length is only known if all loads have begun and know theirs.
    let expected = lines.compactMap(\.1.expected)
    if finished + active.count == count, expected.count == lines.count {
      let sum = expected.reduce(Int64?.some(done)) { sum, length in
        guard let (sum, isTooMuch) = sum?.addingReportingOverflow(length), !isTooMuch else { return nil }
        return sum
      }
      total.expected = sum
    }
    total.rate = state.withLock { state in
      state.rate.note(total: total.received, at: elapsed)
      return state.rate.bytesPerSecond
    }
    let width = console.width
    console.draw(
      progress: ProgressBoard.lines(
        ProgressBoard.text("\(finished) of \(count) done", total, width: width), lines.map { ProgressBoard.text($0, $1, width: width) },
        height: console.height))
  }

  /// The lines that fit the terminal's height, because lines that have scrolled away can't be redrawn. Pure.
  static func lines(_ total: String, _ loads: [String], height: Int) -> [String] {
    let room = max(1, height - 2)
    guard loads.count > room else { return [total] + loads }
    return [total] + loads.prefix(room - 1) + ["and \(loads.count - room + 1) more"]
  }

  /// A load's line with its name at the beginning, as wide as the terminal. Pure.
  static func text(_ name: String, _ line: ProgressLine, width: Int) -> String {
    let room = max(0, min(longestName, width / 3))
    let label = Printable.text(name).shortened(room).alignedLeft(room)
    return String((label + " " + line.text(width: max(0, width - room - 1))).prefix(max(0, width - 1)))
  }
}
