import BackgroundTransfers
import Foundation

/// Handles the messages of an attached app: its tasks, answers and taken events. A part of the daemon, confined to its queue.
final class AppOrders: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Maximum number of transfers of one session that haven't ended.
  private static let largestSession = 100_000

  let context: DaemonContext
  private let sessions: AppSessions
  private let changes: TransferChanges

  init(_ sessions: AppSessions, _ changes: TransferChanges) {
    (context, self.sessions, self.changes) = (sessions.context, sessions, changes)
  }

  func handle(_ message: AppMessage, from app: AppAttachment, _ batch: MessageBatch) throws {
    switch message {
    case .attach, .tool:
      throw Refusal(.badMessage, "The connection has a session already: make another one.")
    case .create(let order): try create(order, for: app, batch)
    case .resume(let task): try withTransfer(task, of: app) { try changes.resume($0, batch) }
    case .suspend(let task): try withTransfer(task, of: app) { try changes.suspend($0, batch) }
    case .cancel(let task, let wantsResumeData):
      try withTransfer(task, of: app) { try changes.cancel($0, wantsResumeData: wantsResumeData, batch) }
    case .change(let task, let change): try withTransfer(task, of: app) { try changes.change($0, change, batch) }
    case .taken(let events): try taken(events, by: app, batch)
    case .answer(let question, let reply): batch.afterCommit { [sessions] in sessions.questions.take(reply, to: question, from: app) }
    case .begin(let question, let reply):
      try sessions.questions.take(reply, to: question, from: app, batch) { try changes.cancel($0, wantsResumeData: false, batch) }
    case .invalidate(let cancelling): try invalidate(app, cancelling: cancelling, batch)
    case .launchHandled: try queue.log.add("the app has handled its launch", transfer: nil, now: wallTime)
    }
  }

  /// Calls `body` with the task's transfer. A message about an unknown task is ignored: the task has ended while the message was on its way.
  private func withTransfer(_ task: Int, of app: AppAttachment, _ body: (TransferQueue.Transfer) throws -> Void) throws {
    guard let transfer = try queue.transfer(session: app.session, task: task) else { return }
    try body(transfer)
  }

  // MARK: new tasks

  private func create(_ order: TransferOrder, for app: AppAttachment, _ batch: MessageBatch) throws {
    try AppOrders.admit(order)
    app.transfers += 1
    if app.transfers > AppOrders.largestSession {
      app.transfers = try queue.presence.countOfTransfers(of: app.session) + 1
      guard app.transfers <= AppOrders.largestSession else {
        throw Refusal(.badMessage, "The session has \(AppOrders.largestSession) tasks that haven't ended; wait until some have.")
      }
    }
    do {
      let transfer = try queue.add(order, to: app.session, now: now)
      let what = order.kind == .download ? "download of" : "upload to"
      try queue.log.add("added: \(what) \(ShownText.withoutQueries(order.shownURL))", transfer: transfer.identifier, now: wallTime)
    } catch let error as TransferQueueError {
      // The same task may come twice: an app sends it again after its connection broke before the reply.
      guard case .taskIdentifierUsed = error, try isKnown(order, to: app.session) else { return turnAway(order, error, app, batch) }
    }
    batch.afterCommit { [weak self] in
      app.link.send(DaemonMessage.created(task: order.task))
      self?.toolsChanged()
    }
  }

  /// Whether the task is known already: as a transfer, or as the event of its end, which the app will be told.
  private func isKnown(_ order: TransferOrder, to session: Int64) throws -> Bool {
    guard let known = try queue.transfer(session: session, task: order.task)?.order else {
      return try queue.hasTransfer(session: session, task: order.task)
    }
    guard known.kind == order.kind, known.shownURL == order.shownURL else {
      throw Refusal(.badMessage, "The session has another task \(order.task) already.")
    }
    return true
  }

  /// Ends this task alone with an error. A thread of the app has made it while another thread invalidated the session, or so late that its identifier
  /// is used already.
  private func turnAway(_ order: TransferOrder, _ error: TransferQueueError, _ app: AppAttachment, _ batch: MessageBatch) {
    app.transfers -= 1
    let event = TransferEvent(refusing: order, URLErrorValue.make(.cancelled, "The task can't be made: \(error)."))
    batch.afterCommit { app.send(event) }
  }

  /// Checks a new task.
  /// - Throws: A refusal of the connection for values that the library never sends.
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

  // MARK: taken events, and the end of sessions

  private func taken(_ events: [Int64], by app: AppAttachment, _ batch: MessageBatch) throws {
    let files = try sessions.ends.take(events, of: app.session)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      sessions.ends.remove(files)
      if case .missed(var missed) = app.telling {
        missed.untaken.subtract(events)
        app.telling = .missed(missed)
      }
      sessions.tellMissed(app)
      sessions.ends.endSessionIfOver(app.session)
      toolsChanged()
    }
  }

  private func invalidate(_ app: AppAttachment, cancelling: Bool, _ batch: MessageBatch) throws {
    try queue.sessions.invalidate(app.session)
    context.sessions[app.session]?.isInvalidated = true
    guard cancelling else {
      return batch.afterCommit { [sessions] in sessions.ends.endSessionIfOver(app.session) }
    }
    app.isCancelled = true
    let ended = try endAll(of: app.session)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      app.link.send(DaemonMessage.invalidated)
      for (identifier, part) in ended { changes.forget(identifier, part: part) }
      sessions.ends.endSessionIfOver(app.session)
      requestTurn()
      toolsChanged()
      considerIdleness()
    }
  }

  /// Deletes the session's transfers without events for its app.
  /// - Returns: For each its identifier, and the name of its incomplete file if no resume data of the app names that.
  private func endAll(of session: Int64) throws -> [(Int64, String?)] {
    var ended: [(Int64, String?)] = []
    var next: Int64? = 0
    while let previous = next {
      let page = try queue.page(of: session, after: previous, bytes: DaemonContext.pageBytes)
      for transfer in page.transfers {
        ended.append((transfer.identifier, files.partName(transfer.resumeData, keeping: transfer.order.resumeData)))
        try queue.finishUntold(transfer.identifier, now: wallTime)
      }
      next = page.next
    }
    return ended
  }
}
