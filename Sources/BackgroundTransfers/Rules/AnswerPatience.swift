/// How long an app waits for a daemon that doesn't read what it is sent, or doesn't answer.
///
/// A daemon that hangs or was stopped is given up soon, because its process does nothing. One that is busy, or waits for its disk, gets more time.
package struct AnswerPatience: Sendable, Equatable {
  /// Seconds without progress in which the peer's process has done nothing either.
  package var lifeless = 3.0
  /// Seconds without progress, if the peer's process can't be seen.
  package var unseen = 10.0
  /// Seconds without progress, even if the peer's process is busy.
  package var longest = 30.0

  package init() {}
}

/// Applies `AnswerPatience` to one wait. A value without a clock: the time is a parameter.
package struct AnswerWatch {
  /// Maximum number of seconds that count between two calls: if this process was stopped, or slept with its machine, it hasn't waited for that long.
  private static let longestStep = 1.0

  private let patience: AnswerPatience
  private var last: ContinuousClock.Instant
  /// Seconds without progress, and seconds in which the peer's process has done nothing either.
  private var (quiet, lifeless) = (0.0, 0.0)
  private var pulse: ProcessPulse?

  package init(_ patience: AnswerPatience, now: ContinuousClock.Instant) {
    self.patience = patience
    last = now
  }

  /// The peer has read something, or has answered: the wait counts from now.
  package mutating func hasMoved(now: ContinuousClock.Instant) { (quiet, lifeless, last) = (0, 0, now) }

  /// Whether the wait has lasted too long, so that the peer is given up.
  /// - Parameter reading: What the peer's process has done so far; nil if that can't be seen.
  package mutating func isOver(_ reading: ProcessPulse?, now: ContinuousClock.Instant) -> Bool {
    let step = min((now - last) / .seconds(1), AnswerWatch.longestStep)
    (quiet, lifeless, last) = (quiet + step, lifeless + step, now)
    // The first reading has no earlier one to compare with, and counts as activity.
    if let reading, reading.isBusy || pulse == nil || reading != pulse { lifeless = 0 }
    pulse = reading
    guard reading != nil else { return quiet >= patience.unseen }
    return quiet >= patience.longest || lifeless >= patience.lifeless
  }
}
