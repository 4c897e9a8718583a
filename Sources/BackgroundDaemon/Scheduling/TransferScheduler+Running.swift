// Events of transfers that have tasks, and the places that these take.

extension TransferScheduler {
  enum Suspension: Equatable {
    /// The suspended task keeps its connection for a while.
    case keepsItsConnection
    /// Too many suspended tasks keep connections already: the task is cancelled, and the transfer resumes from its resume data.
    case ends
  }

  mutating func suspends(_ identifier: Int64) -> Suspension {
    place(identifier) { .suspended(isAsked: $0 == .lent) }
    return tally.suspended <= limits.running ? .keepsItsConnection : .ends
  }

  mutating func resumes(_ identifier: Int64) {
    place(identifier) { $0 == .suspended(isAsked: true) ? .lent : .taken }
  }

  /// The transfer's app is being asked something: another transfer may run in its place until the answer.
  mutating func lends(_ identifier: Int64) {
    place(identifier) { if case .suspended = $0 { .suspended(isAsked: true) } else { .lent } }
  }

  /// The question is answered or withdrawn: the transfer takes its place again, even if more transfers than the limit run then.
  mutating func takesBack(_ identifier: Int64) {
    place(identifier) { if case .suspended = $0 { .suspended(isAsked: false) } else { .taken } }
  }

  /// The task is being cancelled; the transfer takes its place until the task has completed.
  mutating func stops(_ identifier: Int64) { place(identifier) { _ in .taken } }

  /// The task has completed: the transfer isn't running any more.
  mutating func completed(_ identifier: Int64) {
    if isRunning(identifier) { move(identifier, to: nil) }
  }

  private mutating func place(_ identifier: Int64, _ change: (TransferPhase.Running.Place) -> TransferPhase.Running.Place) {
    guard case .running(var run) = phases[identifier] else { return }
    run.place = change(run.place)
    move(identifier, to: .running(run))
  }
}
