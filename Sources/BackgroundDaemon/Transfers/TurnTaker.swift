import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// Takes turns: looks which transfers begin, and ends those whose deadline has passed. A part of the daemon, confined to its queue.
final class TurnTaker: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  private static let overdueAtOnce = 1000

  let context: DaemonContext
  private let table: TransferTable
  private let runner: TransferRunner
  private let conditions: ConditionsWatch
  private var isRequested = false
  /// Number of the latest timer; an earlier one does nothing.
  private var generation = 0

  init(_ runner: TransferRunner, _ conditions: ConditionsWatch) {
    (context, table, self.runner, self.conditions) = (runner.context, runner.table, runner, conditions)
  }

  /// Has a turn taken soon; several requests until then lead to one turn.
  func request() {
    guard isServing, !isRequested else { return }
    isRequested = true
    loop.async { [weak self] in self?.takeTurn() }
  }

  private func takeTurn() {
    dispatchPrecondition(condition: .onQueue(loop))
    isRequested = false
    guard isServing else { return }
    // The same moment for all steps: a transfer that becomes ready during the turn gets a timer of its own.
    let now = now
    do {
      try context.followClock()
      for identifier in try queue.overdue(now: now, limit: TurnTaker.overdueAtOnce) { try expire(identifier) }
      let isFull = try beginReady(now)
      try planTurn(isFull: isFull, now)
    } catch {
      report("the queue can't be used: \(error)")
      planTurn(at: now.addingTimeInterval(DaemonContext.diskPause))
    }
    context.host?.hasTakenTurn()
  }

  private func expire(_ identifier: Int64) throws {
    let error = URLErrorValue.make(.timedOut, "The transfer wasn't complete within the session's timeoutIntervalForResource.")
    switch table.scheduler.expires(identifier) {
    case .none: break
    case .stopsTask: if let run = table.runs[identifier] { runner.stop(run, .failed(error)) }
    case .endsAtOnce: if let transfer = try queue.transfer(identifier) { runner.ends.end(transfer, with: error) }
    }
  }

  /// Begins the transfers that are ready.
  /// - Returns: Whether no place is free.
  private func beginReady(_ now: Date) throws -> Bool {
    guard let room = table.scheduler.room(now) else { return true }
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
    for transfer in admission.begins.compactMap({ transfers[$0] }) { runner.begin(transfer) }
    if !admission.putOff.isEmpty { toolsChanged() }
    if admission.looksFurther { requestTurn() }
    return admission.isFull
  }

  private func admit(
    _ ready: [TransferQueue.Transfer], to room: TransferScheduler.Room, _ now: Date
  ) throws -> TransferScheduler.Admission {
    lazy var system = conditions.current()
    let rules = DiscretionPauses(started: context.started, scale: options.retryScale)
    return try table.scheduler.admit(ready, to: room) { transfer in
      guard let session = try record(of: transfer.session) else { return nil }
      return rules.obstacle(
        isDiscretionary: session.terms.isDiscretionary, waitingSince: transfer.waitingSince ?? transfer.created,
        knowsConditions: conditions.isComplete, conditions: system, now: now)
    }
  }

  // MARK: timers

  private func planTurn(isFull: Bool, _ now: Date) throws {
    let next = table.scheduler.nextTurn(
      deadline: try queue.nextDeadline(), moment: isFull ? nil : try queue.nextMoment(after: now), isFull: isFull, now: now)
    if let next { planTurn(at: next) } else { generation += 1 }
  }

  private func planTurn(at moment: Date) {
    generation += 1
    let generation = generation
    // The timer doesn't follow the wall clock, which may be set. It stands still while the machine sleeps: hence `longestPause`.
    let seconds = min(DaemonContext.longestPause, max(0, moment.timeIntervalSince(now)))
    loop.asyncAfter(deadline: .now() + seconds) { [weak self] in
      guard let self, self.generation == generation else { return }
      requestTurn()
    }
  }

  // MARK: the network

  /// The machine's networks have changed: transfers that wait after a network failure are tried again at once.
  func networkHasChanged(_ isConnected: Bool) {
    guard isServing else { return }
    toolsChanged()
    let waiting = table.scheduler.waitingForNetwork
    guard isConnected, !waiting.isEmpty else { return }
    do {
      try queue.transaction { queue in
        for (identifier, attempts) in waiting {
          try queue.keepAttempt(attempts, next: nil, reason: "the network has changed: it is tried again", identifier)
        }
      }
      table.scheduler.endWaits(for: waiting.keys)
      requestTurn()
    } catch {
      report("the queue can't be written: \(error)")
    }
  }
}
