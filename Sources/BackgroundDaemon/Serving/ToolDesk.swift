import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// Serves `urlload background`: lists and changes the transfers of all apps. A part of the daemon, confined to its queue.
final class ToolDesk: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Maximum numbers of transfers in a list and of lines in a log that one message has room for.
  private static let longestList = 20_000
  private static let longestLog = 10_000

  /// Maximum number of questions in one read from a connection: each answer may have megabytes.
  private static let questionsAtOnce = 16

  private struct Watcher {
    let link: MessageLink
    /// The only transfer that is watched; nil for all transfers.
    let transfer: Int64?
  }

  let context: DaemonContext
  private let table: TransferTable
  private let changes: TransferChanges
  private let apps: AttachedApps
  private let conditions: ConditionsWatch
  /// Connections that get a new list after each change (`urlload background watch`).
  private var watchers: [ObjectIdentifier: Watcher] = [:]
  private var isTelling = false
  /// Seconds that making the latest list took: lists follow each other less often if this is long.
  private var cost = 0.0

  init(_ table: TransferTable, _ changes: TransferChanges, _ apps: AttachedApps, _ conditions: ConditionsWatch) {
    (context, self.table, self.changes, self.apps, self.conditions) = (table.context, table, changes, apps, conditions)
  }

  /// The connection is over: it gets no more lists.
  func leave(_ connection: Connection) { watchers[ObjectIdentifier(connection)] = nil }

  func handle(_ request: ToolRequest, on connection: Connection, _ batch: MessageBatch) throws {
    let reply: ToolReply
    switch request {
    case .list, .watch, .log, .status:
      batch.questions += 1
      guard batch.questions <= ToolDesk.questionsAtOnce else {
        throw Refusal(.badMessage, "Too many questions at once: wait for the answers.")
      }
      // The answers are made after the commit, one after the other, so that only one is in memory at a time.
      return batch.afterCommit { [weak self] in self?.answer(request, on: connection) }
    case .pause(let identifier): reply = try with(identifier) { try changes.suspend($0, batch) }
    case .resume(let identifier): reply = try with(identifier) { try changes.resume($0, batch) }
    case .cancel(let identifier):
      // The reason 0 is `BackgroundTaskCancelledReason.userForceQuitApplication`. Transfers of `urlload` itself, with a destination, have no app to
      // be told.
      reply = try with(identifier) {
        try changes.cancel($0, wantsResumeData: false, reason: 0, isUntold: $0.order.destination != nil, batch)
      }
    }
    batch.afterCommit { connection.link.send(DaemonMessage.tool(reply)) }
  }

  private func answer(_ question: ToolRequest, on connection: Connection) {
    guard !connection.isOver else { return }
    let reply: ToolReply
    do {
      switch question {
      case .list: reply = .transfers(try listings())
      case .watch(let transfer):
        watchers[ObjectIdentifier(connection)] = Watcher(link: connection.link, transfer: transfer)
        reply = .transfers(try listings().filter { transfer == nil || $0.identifier == transfer })
      case .log(let transfer, let limit):
        reply = .log(try queue.log.lines(transfer: transfer, limit: min(max(limit, 0), ToolDesk.longestLog)))
      case .status: reply = .status(try status())
      case .pause, .resume, .cancel: return
      }
    } catch {
      reply = .failed("The queue can't be read: \(error)")
    }
    if !connection.link.send(DaemonMessage.tool(reply)) { connection.link.close() }
  }

  private func with(_ identifier: Int64, _ body: (TransferQueue.Transfer) throws -> Void) throws -> ToolReply {
    guard let transfer = try queue.transfer(identifier) else {
      return .failed("There is no transfer \(identifier), or it has ended; `list` shows those there are.")
    }
    try body(transfer)
    return .done
  }

  /// The transfers that the database has, with the present counts and phases of those that run.
  func listings() throws -> [TransferListing] {
    try queue.reports.transfers(limit: ToolDesk.longestList).map { listing in
      var listing = listing
      listing.created = context.time.wall(listing.created)
      listing.next = listing.next.map { context.time.wall($0) }
      guard let run = table.runs[listing.identifier] else { return listing }
      run.takeCounts()
      (listing.sent, listing.received) = (run.progress.sent, run.progress.received)
      (listing.expectedToSend, listing.expectedToReceive) = (run.progress.expectedToSend, run.progress.expectedToReceive)
      guard listing.phase == .waiting else { return listing }
      listing.next = nil
      listing.reason = run.question != nil ? WaitReason.app : run.waitsForNetwork ? "waits for a network" : nil
      listing.phase = listing.reason == nil ? .running : .waiting
      return listing
    }
  }

  func status() throws -> DaemonStatus {
    var status = DaemonStatus(
      process: getpid(), started: context.time.wall(context.started), dataFolder: context.places.data.path(percentEncoded: false))
    let counts = try queue.reports.counts()
    status.running = table.runs.values.count { $0.isActive && !$0.waitsForNetwork && $0.question == nil }
    status.waiting = max(0, counts.waiting - status.running)
    (status.suspended, status.finished, status.apps) = (counts.suspended, counts.finished, apps.all.count)
    status.obstacles = conditions.obstacles()
    let failed = table.scheduler.tally.failedEnds
    if failed > 0 { status.obstacles.append("the disk doesn't take the ends of \(failed) transfers") }
    return status
  }

  // MARK: watching

  /// Sends a new list to the watching connections after `progressInterval`, or later where making lists takes long.
  func hasChanged() {
    guard isServing, !watchers.isEmpty, !isTelling else { return }
    isTelling = true
    loop.asyncAfter(deadline: .now() + max(options.progressInterval, 10 * cost)) { [weak self] in self?.tellWatchers() }
  }

  private func tellWatchers() {
    isTelling = false
    guard isServing, !watchers.isEmpty else { return }
    let begin = ContinuousClock.now
    do {
      let all = try listings()
      for watcher in watchers.values {
        let shown = watcher.transfer == nil ? all : all.filter { $0.identifier == watcher.transfer }
        watcher.link.send(DaemonMessage.tool(.transfers(shown)))
      }
    } catch {
      report("the queue can't be read: \(error)")
    }
    cost = (ContinuousClock.now - begin) / .seconds(1)
  }
}
