/// How long a peer is waited for that doesn't take what it is sent, or doesn't answer.
///
/// A peer that hangs, or was stopped, is given up soon: its process does nothing. One that is busy, or waits for its disk, has more time.
package struct StallRules: Sendable, Equatable {
  /// Seconds without a sign of life of the peer's process.
  package var lifeless = 3.0
  /// Seconds without progress, where the process can't be seen.
  package var unseen = 10.0
  /// Seconds without progress, whatever the process does.
  package var longest = 30.0

  package init() {}
}

/// Applies `StallRules` to one wait. A value: time comes in.
package struct StallWatch {
  private let rules: StallRules
  private var progress: ContinuousClock.Instant
  private var life: ContinuousClock.Instant
  private var pulse: ProcessPulse?

  package init(_ rules: StallRules, now: ContinuousClock.Instant) {
    self.rules = rules
    (progress, life) = (now, now)
  }

  /// The peer has taken something, or has answered.
  package mutating func hasMoved(now: ContinuousClock.Instant) { (progress, life) = (now, now) }

  /// Whether the peer is given up.
  /// - Parameter reading: What its process has done; nil if that can't be seen.
  package mutating func isOver(_ reading: ProcessPulse?, now: ContinuousClock.Instant) -> Bool {
    // The first reading says nothing alone.
    if let reading, reading.isBusy || pulse == nil || reading != pulse { life = now }
    pulse = reading
    let quiet = (now - progress) / .seconds(1)
    guard reading != nil else { return quiet >= rules.unseen }
    return quiet >= rules.longest || (now - life) / .seconds(1) >= rules.lifeless
  }
}
