import BackgroundTransfers
import Foundation

/// Resumes, suspends, changes and cancels one transfer, as its app or a user at a terminal wants. A part of the daemon, confined to its queue.
final class TransferChanges: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  private let runner: TransferRunner
  private let questions: AppQuestions
  private var table: TransferTable { runner.table }

  init(_ runner: TransferRunner, _ questions: AppQuestions) {
    (context, self.runner, self.questions) = (runner.context, runner, questions)
  }

  func resume(_ transfer: TransferQueue.Transfer, _ batch: MessageBatch) throws {
    try queue.setSuspended(false, transfer.identifier, now: now)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      if let run = table.runs[transfer.identifier] { runner.resume(run) }
      requestTurn()
      toolsChanged()
      considerIdleness()
    }
  }

  func suspend(_ transfer: TransferQueue.Transfer, _ batch: MessageBatch) throws {
    try queue.setSuspended(true, transfer.identifier, now: now)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      if let run = table.runs[transfer.identifier] { runner.suspend(run) }
      toolsChanged()
      considerIdleness()
    }
  }

  func change(_ transfer: TransferQueue.Transfer, _ change: TransferChange, _ batch: MessageBatch) throws {
    if let date = change.earliestBegin, !date.timeIntervalSince1970.isFinite { return }
    try queue.change(change, transfer.identifier, now: now)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      if let run = table.runs[transfer.identifier] {
        if let priority = change.priority { run.task.priority = priority }
        if let order = readable(transfer.identifier)?.order { run.transfer.order = order }
      }
      requestTurn()
      toolsChanged()
    }
  }

  // MARK: cancellation

  /// - Parameters:
  ///   - reason: Raw value of Apple's `BackgroundTaskCancelledReason` if the user cancels; nil if the app does.
  ///   - isUntold: Whether no event is made, because the transfer has no app.
  func cancel(
    _ transfer: TransferQueue.Transfer, wantsResumeData: Bool, reason: Int? = nil, isUntold: Bool = false, _ batch: MessageBatch
  ) throws {
    let identifier = transfer.identifier
    switch table.scheduler.cancels(identifier, wantsResumeData: wantsResumeData) {
    case .none: return
    case .stopsTask:
      guard let run = table.runs[identifier] else { return }
      return batch.afterCommit { [runner] in runner.stop(run, .cancelled) }
    case .endsAtOnce: break
    }
    // The end is part of this transaction, so that the transfer stays cancelled even if the daemon is killed now.
    let outcome = cancelledOutcome(transfer, wantsResumeData: wantsResumeData, reason)
    let line = LoggedEnding.cancelled.line(reason == nil ? "by the app" : "by the user")
    try queue.log.add(line, transfer: identifier, now: wallTime)
    let part = wantsResumeData ? nil : files.partName(transfer.resumeData, keeping: transfer.order.resumeData)
    var event: TransferEvent?
    if isUntold { try queue.finishUntold(identifier, now: wallTime) } else { event = try queue.finish(identifier, outcome, now: wallTime) }
    batch.afterCommit { [weak self] in
      guard let self else { return }
      forget(identifier, part: part)
      if let event { table.apps?.tell(event, in: transfer.session) }
      runner.ends.hasFinished(identifier, in: transfer.session)
    }
  }

  private func cancelledOutcome(_ transfer: TransferQueue.Transfer, wantsResumeData: Bool, _ reason: Int?) -> TransferOutcome {
    var error = URLErrorValue.cancelled
    error.cancelledReason = reason
    if wantsResumeData { error.resumeData = transfer.resumeData ?? transfer.order.resumeData }
    return table.runs[transfer.identifier]?.outcome(error) ?? transfer.outcome(error)
  }

  /// Ends what is under way in memory for a transfer that the database has deleted: task, question, pending end.
  ///
  /// - Parameter part: Name of its incomplete file, which is removed; nil if there is none.
  func forget(_ identifier: Int64, part: String?) {
    let forgetting = table.scheduler.forget(identifier)
    if case .stopsTask = forgetting {
      if let run = table.runs[identifier] { runner.stop(run, .discarded) }
      return
    }
    if let part { unlink(files.path(part)) }
    switch forgetting {
    case .isLeft, .stopsTask: break
    case .withdraws(let question): questions.remove(question)
    case .dropsEnd: if let file = table.unsettled.removeValue(forKey: identifier)?.outcome.file { files.remove(file) }
    }
  }
}
