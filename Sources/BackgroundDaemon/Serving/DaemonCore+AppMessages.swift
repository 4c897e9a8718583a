import BackgroundTransfers
import Foundation

// What an attached app wants.

extension DaemonCore {
  /// Transfers of one session that haven't ended, at most.
  private static let largestSession = 100_000

  func handle(_ message: AppMessage, from app: AppAttachment, _ batch: MessageBatch) throws {
    switch message {
    case .attach, .tool:
      throw Refusal(.badMessage, "The connection has a session already: make another one.")
    case .create(let order): try create(order, for: app, batch)
    case .resume(let task): try withTransfer(task, of: app) { try resume($0, batch) }
    case .suspend(let task): try withTransfer(task, of: app) { try suspend($0, batch) }
    case .cancel(let task, let wantsResumeData):
      try withTransfer(task, of: app) { try cancel($0, wantsResumeData: wantsResumeData, batch) }
    case .change(let task, let change): try withTransfer(task, of: app) { try self.change($0, change, batch) }
    case .taken(let events): try taken(events, by: app, batch)
    case .answer(let question, let reply): batch.afterCommit { [weak self] in self?.take(reply, to: question, from: app) }
    case .begin(let question, let reply): try take(reply, to: question, from: app, batch)
    case .invalidate(let cancelling): try invalidate(app, cancelling: cancelling, batch)
    case .launchHandled: try queue.log("the app has handled its launch", transfer: nil, now: wallTime)
    }
  }

  /// A task that is unknown has ended: its event and the message have crossed.
  private func withTransfer(_ task: Int, of app: AppAttachment, _ body: (TransferQueue.Transfer) throws -> Void) throws {
    guard let transfer = try queue.transfer(session: app.session, task: task) else { return }
    try body(transfer)
  }

  // MARK: new tasks

  private func create(_ order: TransferOrder, for app: AppAttachment, _ batch: MessageBatch) throws {
    try DaemonCore.admit(order)
    app.transfers += 1
    if app.transfers > DaemonCore.largestSession {
      app.transfers = try queue.countOfTransfers(of: app.session) + 1
      guard app.transfers <= DaemonCore.largestSession else {
        throw Refusal(.badMessage, "The session has \(DaemonCore.largestSession) tasks that haven't ended; wait until some have.")
      }
    }
    do {
      let transfer = try queue.add(order, to: app.session, now: now)
      let what = order.kind == .download ? "download of" : "upload to"
      try queue.log("added: \(what) \(ShownText.withoutQueries(order.shownURL))", transfer: transfer.identifier, now: wallTime)
    } catch TransferQueueError.taskIdentifierUsed {
      // Told once more by an app whose connection broke before it had the answer.
      if let known = try queue.transfer(session: app.session, task: order.task)?.order {
        guard known.kind == order.kind, known.shownURL == order.shownURL else {
          throw Refusal(.badMessage, "The session has another task \(order.task) already.")
        }
      }
    } catch let error as TransferQueueError {
      throw Refusal(.badMessage, "The task can't be made: \(error).")
    }
    batch.afterCommit { [weak self] in
      app.link.send(DaemonMessage.created(task: order.task))
      self?.toolsChanged()
    }
  }

  /// - Throws: What a well-behaved app never sends.
  private static func admit(_ order: TransferOrder) throws(Refusal) {
    guard order.task > 0 else { throw Refusal(.badMessage, "Tasks are counted from 1.") }
    guard order.kind == .download || order.source != nil || order.resumeData != nil else {
      throw Refusal(.badMessage, "An upload of a background session needs a file.")
    }
    if let destination = order.destination, !destination.hasPrefix("/") || destination.hasSuffix("/") || destination.contains("\0") {
      throw Refusal(.badMessage, "The destination must be the absolute path of a file.")
    }
    for date in [order.earliestBegin].compactMap({ $0 }) where !date.timeIntervalSince1970.isFinite {
      throw Refusal(.badMessage, "A date must be a moment.")
    }
  }

  // MARK: changes

  func resume(_ transfer: TransferQueue.Transfer, _ batch: MessageBatch) throws {
    try queue.setSuspended(false, transfer.identifier, now: now)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      if let run = runs[transfer.identifier] { resume(run) }
      requestTurn()
      toolsChanged()
      considerIdleness()
    }
  }

  func suspend(_ transfer: TransferQueue.Transfer, _ batch: MessageBatch) throws {
    try queue.setSuspended(true, transfer.identifier, now: now)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      if let run = runs[transfer.identifier] { suspend(run) }
      toolsChanged()
      considerIdleness()
    }
  }

  private func change(_ transfer: TransferQueue.Transfer, _ change: TransferChange, _ batch: MessageBatch) throws {
    if let date = change.earliestBegin, !date.timeIntervalSince1970.isFinite { return }
    try queue.change(change, transfer.identifier)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      if let run = runs[transfer.identifier] {
        if let priority = change.priority { run.task.priority = priority }
        if let order = readable(transfer.identifier)?.order { run.transfer.order = order }
      }
      requestTurn()
      toolsChanged()
    }
  }

  // MARK: ends

  private func taken(_ events: [Int64], by app: AppAttachment, _ batch: MessageBatch) throws {
    let files = try take(events, of: app.session)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      remove(files)
      if case .missed(var missed) = app.telling {
        missed.untaken.subtract(events)
        app.telling = .missed(missed)
      }
      tellMissed(app)
      endSessionIfOver(app.session)
      toolsChanged()
    }
  }

  /// - Parameter reason: Why the system cancels; nil if the app does.
  func cancel(
    _ transfer: TransferQueue.Transfer, wantsResumeData: Bool, reason: Int? = nil, isUntold: Bool = false, _ batch: MessageBatch
  ) throws {
    let identifier = transfer.identifier
    switch scheduler.cancels(identifier, wantsResumeData: wantsResumeData) {
    case .none: return
    case .stopsTask:
      guard let run = runs[identifier] else { return }
      return batch.afterCommit { [weak self] in self?.stop(run, .cancelled) }
    case .endsAtOnce: break
    }
    // In the queue at once, so that it stays cancelled whatever happens to the daemon.
    let outcome = cancelledOutcome(transfer, wantsResumeData: wantsResumeData, reason)
    let line = LoggedEnding.cancelled.line(reason == nil ? "by the app" : "by the user")
    try queue.log(line, transfer: identifier, now: wallTime)
    let part = wantsResumeData ? nil : partName(transfer.resumeData, keeping: transfer.order.resumeData)
    var event: TransferEvent?
    if isUntold { try queue.finishUntold(identifier, now: wallTime) } else { event = try queue.finish(identifier, outcome, now: wallTime) }
    batch.afterCommit { [weak self] in
      guard let self else { return }
      forget(identifier, part: part)
      if let event { tell(event, in: transfer.session) }
      hasFinished(identifier, in: transfer.session)
    }
  }

  private func cancelledOutcome(_ transfer: TransferQueue.Transfer, wantsResumeData: Bool, _ reason: Int?) -> TransferOutcome {
    var error = URLErrorValue.cancelled
    error.cancelledReason = reason
    if wantsResumeData { error.resumeData = transfer.resumeData ?? transfer.order.resumeData }
    if let run = runs[transfer.identifier] { return run.outcome(error) }
    var outcome = TransferOutcome()
    outcome.error = error
    outcome.response = transfer.response
    (outcome.sent, outcome.received) = (transfer.progress.sent, transfer.progress.received)
    (outcome.expectedToSend, outcome.expectedToReceive) = (transfer.progress.expectedToSend, transfer.progress.expectedToReceive)
    return outcome
  }

  /// The queue has the transfer no more: nor has the rest of the daemon.
  ///
  /// - Parameter part: Name of the file that nothing uses any more.
  private func forget(_ identifier: Int64, part: String?) {
    let forgetting = scheduler.forget(identifier)
    if case .stopsTask = forgetting {
      if let run = runs[identifier] { stop(run, .discarded) }
      return
    }
    if let part { unlink(files.path(part)) }
    switch forgetting {
    case .isLeft, .stopsTask: break
    case .withdraws(let question): questions.remove(question)
    case .dropsEnd: if let file = unsettled.removeValue(forKey: identifier)?.outcome.file { files.remove(file) }
    }
  }

  private func invalidate(_ app: AppAttachment, cancelling: Bool, _ batch: MessageBatch) throws {
    try queue.invalidate(app.session)
    sessions[app.session]?.isInvalidated = true
    guard cancelling else {
      return batch.afterCommit { [weak self] in self?.endSessionIfOver(app.session) }
    }
    app.isCancelled = true
    let ended = try endAll(of: app.session)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      app.link.send(DaemonMessage.invalidated)
      for (identifier, part) in ended { forget(identifier, part: part) }
      endSessionIfOver(app.session)
      requestTurn()
      toolsChanged()
      considerIdleness()
    }
  }
  /// Ends the session's transfers, without telling its app.
  /// - Returns: Their identifiers, and the files that nothing uses any more.
  private func endAll(of session: Int64) throws -> [(Int64, String?)] {
    var ended: [(Int64, String?)] = []
    var next: Int64? = 0
    while let previous = next {
      let page = try queue.page(of: session, after: previous, bytes: DaemonCore.pageBytes)
      for transfer in page.transfers {
        ended.append((transfer.identifier, partName(transfer.resumeData, keeping: transfer.order.resumeData)))
        try queue.finishUntold(transfer.identifier, now: wallTime)
      }
      next = page.next
    }
    return ended
  }
}
