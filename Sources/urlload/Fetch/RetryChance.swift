import Dispatch
import LoadingModel

/// Decides whether a failed attempt of a load is followed by another one.
///
/// A response whose status may pass is only given up if there is another attempt. The decision is made at the response's head, and used again at the
/// attempt's end: it is stored, because time passes in between. Thread-safe.
final class RetryChance: Sendable {
  private let schedule: RetrySchedule
  private let tries: Int
  private let begin: DispatchTime
  /// Seconds until the next attempt, as decided when a response was given up; nil if none was.
  private let decided = Mutex<Double?>(nil)

  /// - Parameters:
  ///   - tries: Number of this attempt, 1 and up.
  ///   - begin: When the first attempt began.
  init(_ schedule: RetrySchedule, tries: Int, since begin: DispatchTime) {
    (self.schedule, self.tries, self.begin) = (schedule, tries, begin)
  }

  /// Seconds until the next attempt; nil if there is none.
  func delay(after failure: ToolFailure) -> Double? {
    decided.withLock { decided in
      if failure.status == .httpFailure, let decided { return decided }
      let elapsed = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
      let delay = schedule.delay(after: failure, tries: tries, elapsed: elapsed)
      if failure.status == .httpFailure { decided = delay }
      return delay
    }
  }
}
