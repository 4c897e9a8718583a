import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import URLLoadingSystem

// The last steps of a transfer: its file to the disk, perhaps to its destination; the queue; the app.

extension DaemonCore {
  /// Seconds until a disk that hasn't taken an end is tried again.
  static let diskPause = 2.0
  private static let settlingThreads = 3
  private static let settledAtOnce = 64
  /// Bytes from which on a file isn't synchronized with others.
  private static let largeFile: Int64 = 4 << 20

  /// Brings a complete file to the disk under its final name, beside the queue.
  func settle(_ path: String, of transfer: TransferQueue.Transfer, _ outcome: TransferOutcome) {
    scheduler.settles(transfer.identifier)
    turn.settlements.append(
      Settlement(path: path, final: files.finished(transfer.identifier), transfer: transfer, outcome: outcome))
    settleNext()
  }

  /// A thread takes all files that wait: the folder is synchronized once for them.
  private func settleNext() {
    guard turn.settling < DaemonCore.settlingThreads, !turn.settlements.isEmpty else { return }
    // A large file takes its time alone.
    let small = turn.settlements.prefix(DaemonCore.settledAtOnce).prefix { $0.outcome.received < DaemonCore.largeFile }
    let files = small.isEmpty ? Array(turn.settlements.prefix(1)) : Array(small)
    turn.settlements.removeFirst(files.count)
    turn.settling += 1
    let names = files.map { ($0.path, $0.final) }
    beside(.own) {
      TransferFiles.settle(names)
    } then: { core, codes in
      core.turn.settling -= 1
      core.settleNext()
      for (file, code) in zip(files, codes) { core.settled(file, code) }
      core.considerEnd()
      core.considerIdleness()
    }
  }

  private func settled(_ file: Settlement, _ code: Int32) {
    scheduler.settled(file.transfer.identifier)
    var outcome = file.outcome
    if code == 0 { outcome.file = file.final } else { outcome.error = DaemonCore.diskFault(code) }
    conclude(file.transfer, outcome)
  }

  /// Puts the file to its destination, if one was ordered; then the transfer ends.
  func conclude(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome) {
    guard let destination = transfer.order.destination, outcome.error == nil else {
      return end(transfer, outcome, DaemonCore.success(outcome, storedAs: nil))
    }
    if let status = DaemonCore.status(outcome), status >= 400 {
      let nothing = transfer.order.kind == .download ? "; nothing was stored" : ""
      let fault = ErrorValue(
        domain: URLErrorValue.domain, code: -1011, description: "The server answered with status \(status)\(nothing).")
      return endWithoutFile(transfer, outcome, fault)
    }
    // The response of an upload may have no body.
    guard let file = outcome.file, destination != DestinationFile.nowhere else {
      let line = DaemonCore.success(outcome, storedAs: nil)
      return finish(PendingEnd(transfer: transfer, outcome: outcome, isUntold: true, line: line))
    }
    scheduler.settles(transfer.identifier)
    let touch = options.touchingFile
    beside(.file(destination)) {
      touch(destination)
      return DestinationFile.place(file, at: destination)
    } then: {
      $0.placed(transfer, outcome, destination, $1)
    }
  }

  private func placed(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, _ destination: String, _ fault: String?) {
    scheduler.settled(transfer.identifier)
    if let fault {
      endWithoutFile(transfer, outcome, URLErrorValue.make(.cannotCreateFile, fault))
    } else {
      let line = DaemonCore.success(outcome, storedAs: destination)
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

  /// The line of the log; nil after a failure.
  private static func success(_ outcome: TransferOutcome, storedAs destination: String?) -> String? {
    guard outcome.error == nil else { return nil }
    let status = status(outcome).map { "status \($0), " } ?? ""
    let place = destination.map { "; stored as \($0)" } ?? ""
    let text = "\(status)\(outcome.sent) bytes sent, \(outcome.received) received\(place)"
    return LoggedEnding.finished.line(text)
  }

  // MARK: the end

  /// An end without a task.
  func end(_ transfer: TransferQueue.Transfer, with error: ErrorValue) {
    var outcome = TransferOutcome()
    outcome.error = error
    outcome.response = transfer.response
    let progress = transfer.progress
    (outcome.sent, outcome.received) = (progress.sent, progress.received)
    (outcome.expectedToSend, outcome.expectedToReceive) = (progress.expectedToSend, progress.expectedToReceive)
    removePart(transfer.resumeData, keeping: transfer.order.resumeData)
    end(transfer, outcome, LoggedEnding.failed.line(error.description))
  }

  /// - Parameter line: For the log.
  func end(_ transfer: TransferQueue.Transfer, _ outcome: TransferOutcome, _ line: String?) {
    finish(PendingEnd(transfer: transfer, outcome: outcome, isUntold: false, line: line))
  }

  /// Tells the queue, then the app: all ends together that have come when the daemon's queue gets there. While one commit waits for the disk,
  /// those for the next one come.
  private func finish(_ pending: PendingEnd) {
    unsettled[pending.transfer.identifier] = pending
    scheduler.ends(pending.transfer.identifier)
    turn.ends.append(pending.transfer.identifier)
    guard turn.ends.count == 1 else { return }
    loop.async { [weak self] in self?.finishAll() }
  }

  func finishAll() {
    let pending = turn.ends.compactMap { unsettled[$0] }
    turn.ends = []
    if !pending.isEmpty { keepAll(pending) }
  }

  /// A disk that fails is tried again: an end isn't told before it is kept. One that a full disk has no room for doesn't hinder others.
  private func keepAll(_ pending: [PendingEnd]) {
    do {
      let events = try queue.transaction { queue in try pending.map { try keep($0, in: queue) } }
      for (end, event) in zip(pending, events) { hasKept(end, event) }
    } catch {
      guard pending.count == 1 else { return pending.forEach { keepAll([$0]) } }
      report("the end of a transfer can't be kept: \(error)")
      for end in pending { scheduler.endHasFailed(end.transfer.identifier) }
      retryEndsLater()
    }
  }

  /// - Returns: What the app is told; nil if it is told nothing.
  private func keep(_ pending: PendingEnd, in queue: TransferQueue) throws -> TransferEvent? {
    let identifier = pending.transfer.identifier
    if let line = pending.line { try queue.log(ShownText.withoutQueries(line), transfer: identifier, now: wallTime) }
    guard !pending.isUntold else {
      try queue.finishUntold(identifier, now: wallTime)
      return nil
    }
    // It may have been cancelled, with its session, in the meantime.
    do { return try queue.finish(identifier, pending.outcome, now: wallTime) } catch TransferQueueError.noTransfer { return nil }
  }

  private func hasKept(_ pending: PendingEnd, _ event: TransferEvent?) {
    let (identifier, session) = (pending.transfer.identifier, pending.transfer.session)
    unsettled[identifier] = nil
    scheduler.endIsKept(identifier)
    if let event {
      tell(event, in: session)
    } else {
      if let file = pending.outcome.file { files.remove(file) }
      if pending.isUntold { endSessionIfOver(session) }
    }
    hasFinished(identifier, in: session)
  }

  private func retryEndsLater() {
    guard !turn.isRetryingEnds else { return }
    turn.isRetryingEnds = true
    loop.asyncAfter(deadline: .now() + DaemonCore.diskPause) { [weak self] in
      guard let self else { return }
      turn.isRetryingEnds = false
      guard isServing else { return }
      turn.ends += unsettled.keys.filter { scheduler.phases[$0] == .ending(hasFailed: true) && !turn.ends.contains($0) }
      finishAll()
    }
  }

  /// What follows from every end of a transfer.
  func hasFinished(_ identifier: Int64, in session: Int64) {
    scheduler.finished(identifier)
    questions.removeLate(of: identifier)
    considerLaunch(session)
    requestTurn()
    toolsChanged()
    considerIdleness()
  }

  /// Where the app is still being told what it missed, this event is among the last of it.
  func tell(_ event: TransferEvent, in session: Int64) {
    guard let app = apps[session], case .present = app.telling else { return }
    app.link.send(DaemonMessage.event(event))
  }
}
