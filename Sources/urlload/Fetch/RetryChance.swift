import Dispatch
import LoadingModel

/// Whether one try of a load has another behind it.
///
/// An answer with a status that may pass is given up for another try only if there is one. Its head says so, and the try begins later: both
/// read one decision, whatever time lies between. Thread-safe.
final class RetryChance: Sendable {
  private let schedule: RetrySchedule
  private let tries: Int
  private let begin: DispatchTime
  /// Seconds after which the try begins for which an answer was given up.
  private let decided = Mutex<Double?>(nil)

  /// - Parameters:
  ///   - tries: Which try it is, 1 and up.
  ///   - begin: When the first began.
  init(_ schedule: RetrySchedule, tries: Int, since begin: DispatchTime) {
    (self.schedule, self.tries, self.begin) = (schedule, tries, begin)
  }

  /// Seconds to wait before the next try; nil if there is none.
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
