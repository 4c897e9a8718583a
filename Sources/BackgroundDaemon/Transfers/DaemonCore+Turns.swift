import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

// Which transfers begin when.

extension DaemonCore {
  private static let overdueAtOnce = 1000
  /// Seconds until the next turn at most, while something waits for a moment: the machine may sleep meanwhile, or its clock be set.
  static let longestPause = 60.0

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
    let error = URLErrorValue.make(.timedOut, "The transfer wasn't complete within the session's timeoutIntervalForResource.")
    switch scheduler.expires(identifier) {
    case .none: break
    case .stopsTask: if let run = runs[identifier] { stop(run, .failed(error)) }
    case .endsAtOnce: if let transfer = try queue.transfer(identifier) { end(transfer, with: error) }
    }
  }

  /// - Returns: Whether no place is free.
  private func beginReady(_ now: Date) throws -> Bool {
    guard let room = scheduler.room(now) else { return true }
    let ready = try queue.ready(
      now: now, limit: room.limit, bytes: room.bytes, excluding: room.busy,
      shares: room.leavesOutFullSessions ? TransferQueue.Shares(taken: room.shares, largest: options.maximumOfSession) : nil)
    let transfers = Dictionary(ready.map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
    let admission = try queue.transaction { queue in
      let admission = try admit(ready, to: room, now)
      for (identifier, putOff) in admission.putOff {
        guard let transfer = transfers[identifier] else { continue }
        try queue.keepAttempt(transfer.attempts, next: putOff.until, reason: putOff.reason, identifier)
      }
      return admission
    }
    for transfer in admission.begins.compactMap({ transfers[$0] }) { begin(transfer) }
    if !admission.putOff.isEmpty { toolsChanged() }
    if admission.looksFurther { requestTurn() }
    return admission.isFull
  }

  private func admit(
    _ ready: [TransferQueue.Transfer], to room: TransferScheduler.Room, _ now: Date
  ) throws -> TransferScheduler.Admission {
    lazy var system = conditions.current()
    let rules = DiscretionRules(started: started, scale: options.retryScale)
    return try scheduler.admit(ready, to: room) { transfer in
      guard let session = try record(of: transfer.session) else { return nil }
      return rules.obstacle(
        isDiscretionary: session.terms.isDiscretionary, waitingSince: transfer.waitingSince ?? transfer.created,
        knowsConditions: conditions.isComplete, conditions: system, now: now)
    }
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
    let next = scheduler.nextTurn(
      deadline: try queue.nextDeadline(), moment: isFull ? nil : try queue.nextMoment(after: now), isFull: isFull, now: now)
    if let next { planTurn(at: next) } else { turn.generation += 1 }
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
    let waiting = scheduler.waitingForNetwork
    guard isConnected, !waiting.isEmpty else { return }
    do {
      try queue.transaction { queue in
        for (identifier, attempts) in waiting {
          try queue.keepAttempt(attempts, next: nil, reason: "the network has changed: it is tried again", identifier)
        }
      }
      scheduler.endWaits(for: waiting.keys)
      requestTurn()
    } catch {
      report("the queue can't be written: \(error)")
    }
  }
}
