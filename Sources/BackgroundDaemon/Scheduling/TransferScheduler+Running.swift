// Transfers that have tasks, and the places that they take.

extension TransferScheduler {
  enum Suspension: Equatable {
    /// It keeps its connection for a while.
    case keepsItsConnection
    /// Too many do already: it is resumed from what it has.
    case ends
  }

  mutating func suspends(_ identifier: Int64) -> Suspension {
    place(identifier) { .suspended(isAsked: $0 == .lent) }
    return tally.suspended <= limits.running ? .keepsItsConnection : .ends
  }

  mutating func resumes(_ identifier: Int64) {
    place(identifier) { $0 == .suspended(isAsked: true) ? .lent : .taken }
  }

  /// Its app is asked: another has its place meanwhile.
  mutating func lends(_ identifier: Int64) {
    place(identifier) { if case .suspended = $0 { .suspended(isAsked: true) } else { .lent } }
  }

  /// The question is answered, or isn't asked any more: it has its place again, also where that makes more than may begin.
  mutating func takesBack(_ identifier: Int64) {
    place(identifier) { if case .suspended = $0 { .suspended(isAsked: false) } else { .taken } }
  }

  /// Its task is told to end, and has a place until it has.
  mutating func stops(_ identifier: Int64) { place(identifier) { _ in .taken } }

  /// Its task has completed.
  mutating func completed(_ identifier: Int64) {
    if isRunning(identifier) { move(identifier, to: nil) }
  }

  private mutating func place(_ identifier: Int64, _ change: (TransferPhase.Running.Place) -> TransferPhase.Running.Place) {
    guard case .running(var run) = phases[identifier] else { return }
    run.place = change(run.place)
    move(identifier, to: .running(run))
  }
}
