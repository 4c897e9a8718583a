import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

// Which transfers begin when.

extension DaemonCore {
  /// Seconds until a transfer that waits for better conditions is looked at again.
  private static let conditionsPause = 300.0
  /// How many waiting transfers one turn looks at beyond the free places, where the system's conditions put some off.
  private static let lookAhead = 64
  private static let overdueAtOnce = 1000
  /// Seconds until the next turn at most, while something waits for a moment: the machine may sleep meanwhile, or its clock be set.
  static let longestPause = 60.0
  /// Seconds after its start in which the daemon waits for what the system says: a daemon that a reboot has started mustn't begin
  /// discretionary transfers because nothing is known yet.
  private static let learningTime = 5.0

  /// Looks for transfers to begin, soon.
  func requestTurn() {
    guard isServing, !turn.isRequested else { return }
    turn.isRequested = true
    loop.async { [weak self] in self?.takeTurn() }
  }

  private func takeTurn() {
    dispatchPrecondition(condition: .onQueue(loop))
    turn.isRequested = false
    guard isServing else { return }
    // One moment for the whole turn: what becomes ready while it lasts is waited for.
    let now = now
    do {
      try followClock()
      for identifier in try queue.overdue(now: now, limit: DaemonCore.overdueAtOnce) { try expire(identifier) }
      let isFull = try beginReady(now)
      try planTurn(isFull: isFull, now)
    } catch {
      report("the queue can't be used: \(error)")
      planTurn(at: now.addingTimeInterval(DaemonCore.diskPause))
    }
    notice?.status("\(runs.count) transfers under way, \(apps.count) apps attached")
    considerIdleness()
  }

  private func expire(_ identifier: Int64) throws {
    if let occupation = occupied[identifier], case .settling = occupation { return }
    guard unsettled[identifier] == nil else { return }
    let error = URLErrorValue.make(.timedOut, "The transfer wasn't complete within the session's timeoutIntervalForResource.")
    if let run = runs[identifier] {
      stop(run, .failed(error))
    } else if let transfer = try queue.transfer(identifier) {
      end(transfer, with: error)
    }
  }

  /// - Returns: Whether no place is free.
  private func beginReady(_ now: Date) throws -> Bool {
    let free = options.maximumRunning - activeCount
    let undecided = runs.values.count { $0.question == nil }
    guard free > 0, undecided < 4 * options.maximumRunning else { return true }
    turn.held = turn.held.filter { $0.value > now }
    let busy = Set(runs.keys).union(occupied.keys).union(unsettled.keys).union(turn.held.keys)
    let room = options.largestRequests - runs.values.reduce(0) { $0 + $1.requestSize }
    guard room > 0 || runs.isEmpty else { return true }
    let shares = share()
    let ready = try queue.ready(
      now: now, limit: free + (turn.hasPutOff ? DaemonCore.lookAhead : 0), bytes: max(1, room), excluding: busy,
      shares: turn.hasPutOff ? nil : TransferQueue.Shares(taken: shares, largest: options.maximumOfSession))
    let (begun, hasPutOff) = try admit(ready, free, shares)
    turn.hasPutOff = hasPutOff
    for transfer in begun { begin(transfer) }
    if hasPutOff {
      toolsChanged()
      if begun.count < free { requestTurn() }
    }
    return begun.count == free
  }

  /// - Returns: Those that begin; and whether others were put off, because of the system's conditions.
  private func admit(
    _ ready: [TransferQueue.Transfer], _ free: Int, _ shares: [Int64: Int]
  ) throws -> ([TransferQueue.Transfer], Bool) {
    var (begun, hasPutOff): ([TransferQueue.Transfer], Bool) = ([], false)
    var shares = shares
    lazy var system = conditions.current()
    try queue.transaction { queue in
      for transfer in ready where begun.count < free {
        guard shares[transfer.session, default: 0] < options.maximumOfSession else { continue }
        if let (reason, moment) = try obstacle(to: transfer, system) {
          try queue.keepAttempt(transfer.attempts, next: moment, reason: reason, transfer.identifier)
          hasPutOff = true
        } else {
          shares[transfer.session, default: 0] += 1
          begun.append(transfer)
        }
      }
    }
    return (begun, hasPutOff)
  }

  var activeCount: Int {
    runs.values.count { $0.isActive }
      + occupied.values.count { occupation in if case .checking(_, hangs: false) = occupation { true } else { false } }
  }

  /// How many transfers each session has under way, those that wait for their app included.
  private func share() -> [Int64: Int] {
    var shares: [Int64: Int] = [:]
    for run in runs.values where !run.isSuspended { shares[run.session, default: 0] += 1 }
    // A disk that hangs holds up the session whose sources lie there.
    for case .checking(let session, _) in occupied.values { shares[session, default: 0] += 1 }
    return shares
  }

  /// What speaks against beginning, and until when; nil if nothing does.
  private func obstacle(
    to transfer: TransferQueue.Transfer, _ system: @autoclosure () -> SystemConditions
  ) throws -> (String, Date)? {
    guard let session = try record(of: transfer.session) else { return nil }
    if session.terms.isDiscretionary, !conditions.isComplete, now < started.addingTimeInterval(DaemonCore.learningTime) {
      return ("asks the system about power and networks", now.addingTimeInterval(max(0.01, options.retryScale)))
    }
    let since = transfer.waitingSince ?? transfer.created
    let decision = BeginRules.decide(
      isDiscretionary: session.terms.isDiscretionary, waitingSince: since, conditions: system(), now: now)
    guard case .waits(let reason, let until) = decision else { return nil }
    let pause = max(0.01, DaemonCore.conditionsPause * options.retryScale)
    return (reason, min(until, now.addingTimeInterval(pause)))
  }

  /// The session's terms, from memory.
  func record(of identifier: Int64) throws -> TransferQueue.Session? {
    if let session = sessions[identifier] { return session }
    let session = try queue.session(identifier)
    sessions[identifier] = session
    return session
  }

  // MARK: timers

  private func planTurn(isFull: Bool, _ now: Date) throws {
    var moments = [try queue.nextDeadline()]
    // While no place is free the next end brings the next turn.
    if !isFull { moments += [try queue.nextMoment(after: now), turn.held.values.min()] }
    guard let moment = moments.compactMap({ $0 }).min() else {
      turn.generation += 1
      return
    }
    // What was overdue already is being ended.
    planTurn(at: moment > now ? moment : now.addingTimeInterval(1))
  }

  private func planTurn(at moment: Date) {
    turn.generation += 1
    let generation = turn.generation
    // Not by the wall clock, which may be set back. This one stands still while the machine sleeps.
    let seconds = min(DaemonCore.longestPause, max(0, moment.timeIntervalSince(now)))
    loop.asyncAfter(deadline: .now() + seconds) { [weak self] in
      guard let self, turn.generation == generation else { return }
      requestTurn()
    }
  }

  // MARK: the network

  /// There are other networks: what has failed for want of one is tried again at once.
  func networkHasChanged(_ isConnected: Bool) {
    guard isServing else { return }
    toolsChanged()
    guard isConnected, !retrying.isEmpty else { return }
    do {
      try queue.transaction { queue in
        for (identifier, wait) in retrying {
          try queue.keepAttempt(wait.attempts, next: nil, reason: "the network has changed: it is tried again", identifier)
        }
      }
      retrying = [:]
      requestTurn()
    } catch {
      report("the queue can't be written: \(error)")
    }
  }
}
