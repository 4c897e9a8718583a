import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import URLLoadingSystem

/// The last steps of a transfer: synchronizes its file, perhaps puts it at its destination, stores the end, tells the app. A part of the daemon,
/// confined to its queue.
final class TransferEnds: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  private static let settlingThreads = 3
  private static let settledAtOnce = 64
  /// Bytes from which on a file is synchronized by a thread of its own, and not together with others.
  private static let largeFile: Int64 = 4 << 20

  /// A complete file that is to be synchronized to the disk and renamed to its final name.
  private struct Settlement {
    var path: String
    var final: String
    var transfer: TransferQueue.Transfer
    var outcome: TransferOutcome
  }

  let context: DaemonContext
  private let table: TransferTable
  /// Files that no thread has begun to synchronize, and the number of threads that synchronize others now.
  private var settlements: [Settlement] = []
  private var settling = 0
  /// Transfers that have ended since the last commit; the next commit stores all of their ends.
  private var ended: [Int64] = []
  private var isRetrying = false

  init(_ table: TransferTable) { (context, self.table) = (table.context, table) }

  /// Synchronizes a complete file to the disk and gives it its final name, on a thread; then goes on with `conclude`.
  func settle(_ path: String, of transfer: TransferQueue.Transfer, _ outcome: TransferOutcome) {
    table.scheduler.settles(transfer.identifier)
    settlements.append(
      Settlement(path: path, final: files.finished(transfer.identifier), transfer: transfer, outcome: outcome))
    settleNext()
  }

  /// Gives a thread the small files that wait, up to 64: they are renamed in one folder, which is synchronized once for all of them.
  private func settleNext() {
    guard settling < TransferEnds.settlingThreads, !settlements.isEmpty else { return }
    // A large file gets a thread of its own, so that small ones don't wait for it.
    let small = settlements.prefix(TransferEnds.settledAtOnce).prefix { $0.outcome.received < TransferEnds.largeFile }
    let files = small.isEmpty ? Array(settlements.prefix(1)) : Array(small)
    settlements.removeFirst(files.count)
    settling += 1
    let names = files.map { ($0.path, $0.final) }
    beside(.own) {
      TransferFiles.settle(names)
    } then: { ends, codes in
      ends.settling -= 1
      ends.settleNext()
      for (file, code) in zip(files, codes) { ends.settled(file, code) }
      ends.considerEnd()
      ends.considerIdleness()
    }
  }

  private func settled(_ file: Settlement, _ code: Int32) {
    table.scheduler.settled(file.transfer.identifier)
    var outcome = file.outcome
    if code == 0 { outcome.file = file.final } else { outcome.error = TransferFiles.diskFault(code) }
    conclude(file.transfer, outcome)
  }

  /// Puts the file at the destination that `urlload` has ordered, if there is one; then ends the transfer.
  func conclude(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome) {
    guard let destination = transfer.order.destination, outcome.error == nil else {
      return end(transfer, outcome, TransferEnds.success(outcome, storedAs: nil))
    }
    if let status = TransferEnds.status(outcome), status >= 400 {
      let nothing = transfer.order.kind == .download ? "; nothing was stored" : ""
      let fault = ErrorValue(
        domain: URLErrorValue.domain, code: -1011, description: "The server answered with status \(status)\(nothing).")
      return endWithoutFile(transfer, outcome, fault)
    }
    // The response to an upload may have no body, so that there is no file.
    guard let file = outcome.file, destination != DestinationFile.nowhere else {
      let line = TransferEnds.success(outcome, storedAs: nil)
      return finish(PendingEnd(transfer: transfer, outcome: outcome, isUntold: true, line: line))
    }
    table.scheduler.settles(transfer.identifier)
    let touch = options.touchingFile
    let permissions = transfer.order.permissions ?? DestinationFile.ownersAlone
    beside(.file(destination)) {
      touch(destination)
      return DestinationFile.place(file, at: destination, permissions: permissions)
    } then: {
      $0.placed(transfer, outcome, destination, $1)
    }
  }

  private func placed(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, _ destination: String, _ fault: String?) {
    table.scheduler.settled(transfer.identifier)
    if let fault {
      endWithoutFile(transfer, outcome, URLErrorValue.make(.cannotCreateFile, fault))
    } else {
      let line = TransferEnds.success(outcome, storedAs: destination)
      finish(PendingEnd(transfer: transfer, outcome: outcome, isUntold: true, line: line))
    }
    considerEnd()
    considerIdleness()
  }

  private func endWithoutFile(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, _ error: ErrorValue) {
    var failed = outcome
    failed.error = error
    failed.file = nil
    end(transfer, failed, LoggedEnding.failed.line(error.description))
    if let file = outcome.file { unlink(file) }
  }

  private static func status(_ outcome: TransferOutcome) -> Int? {
    (outcome.response.flatMap { BackgroundCoding.response($0) } as? HTTPURLResponse)?.statusCode
  }

  /// The log's line about the end of a transfer; nil for a failure, which has been logged already.
  private static func success(_ outcome: TransferOutcome, storedAs destination: String?) -> String? {
    guard outcome.error == nil else { return nil }
    let status = status(outcome).map { "status \($0), " } ?? ""
    let place = destination.map { "; stored as \($0)" } ?? ""
    let text = "\(status)\(outcome.sent) bytes sent, \(outcome.received) received\(place)"
    return LoggedEnding.finished.line(text)
  }

  // MARK: the end

  /// Ends a transfer that has no task with an error, and removes its incomplete file.
  func end(_ transfer: TransferQueue.Transfer, with error: ErrorValue) {
    files.removePart(transfer.resumeData, keeping: transfer.order.resumeData)
    end(transfer, transfer.outcome(error), LoggedEnding.failed.line(error.description))
  }

  /// - Parameter line: For the log; nil for none.
  func end(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, _ line: String?) {
    finish(PendingEnd(transfer: transfer, outcome: outcome, isUntold: false, line: line))
  }

  /// Has the end stored, and its app told after that. Ends that come in before the daemon's queue gets to `finishAll` share one commit.
  private func finish(_ pending: PendingEnd) {
    table.unsettled[pending.transfer.identifier] = pending
    table.scheduler.ends(pending.transfer.identifier)
    ended.append(pending.transfer.identifier)
    guard ended.count == 1 else { return }
    loop.async { [weak self] in self?.finishAll() }
  }

  func finishAll() {
    let pending = ended.compactMap { table.unsettled[$0] }
    ended = []
    if !pending.isEmpty { keepAll(pending) }
  }

  /// Stores the ends in one transaction. If that fails each is stored alone, so that one that doesn't fit on a full disk doesn't hinder others;
  /// failed ones are tried again, and their apps aren't told before.
  private func keepAll(_ pending: [PendingEnd]) {
    do {
      let events = try queue.transaction { queue in try pending.map { try keep($0, in: queue) } }
      for (end, event) in zip(pending, events) { hasKept(end, event) }
    } catch {
      guard pending.count == 1 else { return pending.forEach { keepAll([$0]) } }
      report("the end of a transfer can't be kept: \(error)")
      for end in pending { table.scheduler.endHasFailed(end.transfer.identifier) }
      retryEndsLater()
    }
  }

  /// - Returns: The event for the app; nil if the app isn't told, or the transfer is gone.
  private func keep(_ pending: PendingEnd, in queue: TransferQueue) throws -> TransferEvent? {
    let identifier = pending.transfer.identifier
    if let line = pending.line { try queue.log.add(ShownText.withoutQueries(line), transfer: identifier, now: wallTime) }
    guard !pending.isUntold else {
      try queue.finishUntold(identifier, now: wallTime)
      return nil
    }
    // The transfer may have been cancelled meanwhile, together with its session.
    do { return try queue.finish(identifier, pending.outcome, now: wallTime) } catch TransferQueueError.noTransfer { return nil }
  }

  private func hasKept(_ pending: PendingEnd, _ event: TransferEvent?) {
    let (identifier, session) = (pending.transfer.identifier, pending.transfer.session)
    table.unsettled[identifier] = nil
    table.scheduler.endIsKept(identifier)
    if let event {
      table.apps?.tell(event, in: session)
    } else {
      if let file = pending.outcome.file { files.remove(file) }
      if pending.isUntold { table.apps?.endSessionIfOver(session) }
    }
    hasFinished(identifier, in: session)
  }

  private func retryEndsLater() {
    guard !isRetrying else { return }
    isRetrying = true
    loop.asyncAfter(deadline: .now() + DaemonContext.diskPause) { [weak self] in
      guard let self else { return }
      isRetrying = false
      guard isServing else { return }
      ended += table.unsettled.keys.filter { table.scheduler.phases[$0] == .ending(hasFailed: true) && !ended.contains($0) }
      finishAll()
    }
  }

  /// To be called after each end of a transfer: frees its place, launches its app if needed, and updates lists.
  func hasFinished(_ identifier: Int64, in session: Int64) {
    table.scheduler.finished(identifier)
    table.apps?.hasFinished(identifier, in: session)
    requestTurn()
    toolsChanged()
    considerIdleness()
  }
}
