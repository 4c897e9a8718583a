/// How long a peer is waited for that doesn't take what it is sent, or doesn't answer.
///
/// A peer that hangs, or was stopped, is given up soon: its process does nothing. One that is busy, or waits for its disk, has more time.
package struct AnswerPatience: Sendable, Equatable {
  /// Seconds without a sign of life of the peer's process.
  package var lifeless = 3.0
  /// Seconds without progress, where the process can't be seen.
  package var unseen = 10.0
  /// Seconds without progress, whatever the process does.
  package var longest = 30.0

  package init() {}
}

/// Applies `AnswerPatience` to one wait. A value: time comes in.
package struct AnswerWatch {
  /// Seconds between two looks that count at most: a process that was stopped itself, or slept with its machine, hasn't waited so long.
  private static let longestStep = 1.0

  private let patience: AnswerPatience
  private var last: ContinuousClock.Instant
  /// Seconds without progress, and without a sign of life.
  private var (quiet, lifeless) = (0.0, 0.0)
  private var pulse: ProcessPulse?

  package init(_ patience: AnswerPatience, now: ContinuousClock.Instant) {
    self.patience = patience
    last = now
  }

  /// The peer has taken something, or has answered.
  package mutating func hasMoved(now: ContinuousClock.Instant) { (quiet, lifeless, last) = (0, 0, now) }

  /// Whether the peer is given up.
  /// - Parameter reading: What its process has done; nil if that can't be seen.
  package mutating func isOver(_ reading: ProcessPulse?, now: ContinuousClock.Instant) -> Bool {
    let step = min((now - last) / .seconds(1), AnswerWatch.longestStep)
    (quiet, lifeless, last) = (quiet + step, lifeless + step, now)
    // The first reading says nothing alone.
    if let reading, reading.isBusy || pulse == nil || reading != pulse { lifeless = 0 }
    pulse = reading
    guard reading != nil else { return quiet >= patience.unseen }
    return quiet >= patience.longest || lifeless >= patience.lifeless
  }
}
