/// Counts over the phases of all transfers in memory, kept up with each change, so that a turn's cost doesn't grow with their number.
struct SchedulerTally: Equatable {
  /// Transfers that take one of the places for running transfers.
  var active = 0
  var running = 0
  /// Running transfers whose app isn't being asked anything.
  var undecided = 0
  var suspended = 0
  /// Transfers in the phases asking, checking and settling.
  var occupied = 0
  var ending = 0
  /// Transfers whose end the disk has refused to store so far.
  var failedEnds = 0
  /// Bytes of the requests of all running transfers.
  var requestBytes = 0
  /// Transfers under way per session, including those that wait for an answer of their app, or for a hanging disk.
  var shares: [Int64: Int] = [:]
  /// Transfers in memory that a turn mustn't begin, because they are under way or held.
  var busy: Set<Int64> = []

  mutating func add(_ identifier: Int64, _ phase: TransferPhase) { count(identifier, phase, 1) }

  mutating func remove(_ identifier: Int64, _ phase: TransferPhase) { count(identifier, phase, -1) }

  private mutating func count(_ identifier: Int64, _ phase: TransferPhase, _ step: Int) {
    switch phase {
    case .asking, .settling: occupied += step
    case .checking(let session, let hangs):
      occupied += step
      if !hangs { active += step }
      // Counts also while its disk hangs: a session whose upload files lie on that disk gets no more transfers than its share.
      share(session, step)
    case .running(let run): count(run, step)
    case .ending(let hasFailed):
      ending += step
      if hasFailed { failedEnds += step }
    case .retrying: return
    case .held: break
    }
    if step > 0 { busy.insert(identifier) } else { busy.remove(identifier) }
  }

  private mutating func count(_ run: TransferPhase.Running, _ step: Int) {
    running += step
    requestBytes += step * run.size
    switch run.place {
    case .taken:
      active += step
      undecided += step
      share(run.session, step)
    case .lent: share(run.session, step)
    case .suspended(let isAsked):
      suspended += step
      if !isAsked { undecided += step }
    }
  }

  private mutating func share(_ session: Int64, _ step: Int) {
    let count = (shares[session] ?? 0) + step
    shares[session] = count == 0 ? nil : count
  }
}
