/// What the phases of all transfers in memory come to: counted with each change, so that a turn costs the same however many there are.
struct SchedulerTally: Equatable {
  /// Transfers that take a place.
  var active = 0
  var running = 0
  /// Running ones whose apps aren't asked anything.
  var undecided = 0
  var suspended = 0
  /// Transfers that are asked about, checked or settled.
  var occupied = 0
  var ending = 0
  /// Ends that the disk was asked to take and hasn't taken.
  var failedEnds = 0
  /// Bytes of the running ones' requests.
  var requestBytes = 0
  /// How many transfers of each session are under way, those included that wait for their app, or for a disk.
  var shares: [Int64: Int] = [:]
  /// Transfers that a turn mustn't begin.
  var busy: Set<Int64> = []

  mutating func add(_ identifier: Int64, _ phase: TransferPhase) { count(identifier, phase, 1) }

  mutating func remove(_ identifier: Int64, _ phase: TransferPhase) { count(identifier, phase, -1) }

  private mutating func count(_ identifier: Int64, _ phase: TransferPhase, _ step: Int) {
    switch phase {
    case .asking, .settling: occupied += step
    case .checking(let session, let hangs):
      occupied += step
      if !hangs { active += step }
      // A disk that hangs holds up the session whose sources lie there.
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
