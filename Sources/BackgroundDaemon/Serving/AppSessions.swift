import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// Attaches apps to their sessions, tells them the events that they missed, and detaches them. A part of the daemon, confined to its queue.
final class AppSessions: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Maximum number of transfers or events in one message, and about how many bytes they may have.
  private static let portion = 500
  private static let portionBytes = 3 << 20
  /// Seconds after which the connection of an app that attaches again is closed from here: another process may hold it open.
  private static let endPatience = 1.0
  /// Missed events that are sent to an app before it has to have taken some of them.
  private static let window = 2000

  let context: DaemonContext
  let runner: TransferRunner
  let apps: AttachedApps
  let questions: AppQuestions
  let ends: SessionEnds
  private let launcher: Launcher
  /// Connections, by session, that attach as soon as the app's earlier connection has been read to its end.
  private var successors: [Int64: Connection] = [:]
  /// Handles the first message of a waiting connection once more, when its turn has come.
  var attachAnew: (Attachment, Connection) -> Void = { _, _ in }

  init(_ runner: TransferRunner, _ apps: AttachedApps, _ launcher: Launcher) {
    (context, self.runner, self.apps, self.launcher) = (runner.context, runner, apps, launcher)
    ends = SessionEnds(runner, apps)
    questions = AppQuestions(runner, apps, launcher, ends)
  }

  func attach(_ attachment: Attachment, on connection: Connection, _ batch: MessageBatch) throws {
    try AttachmentRefusals.checkVersion(attachment)
    // Checked before the terms are stored: a process that is refused changes nothing.
    if let known = try queue.sessions.find(attachment.terms.key), let other = apps[known.identifier] {
      // A connection whose end hasn't been read yet doesn't hold the session any more.
      guard isSame(other, attachment, connection) || other.link.peerHasClosed || !ProcessPresence.isAlive(other.processes.real) else {
        throw AttachmentRefusals.sessionInUse(attachment, by: other.processes.real)
      }
      return wait(for: other, attachment, on: connection)
    }
    let session = try queue.sessions.open(attachment.terms, answersChallenges: attachment.answersChallenges, now: now)
    let identifier = session.identifier
    let app = AppAttachment(identifier, connection.link, attachment)
    connection.role = .app(app)
    context.sessions[identifier] = session
    apps.all[identifier] = app
    // Transfers that wait for an answer of the app may begin.
    try queue.endWaitForApp(in: identifier)
    app.transfers = try queue.presence.countOfTransfers(of: identifier)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      // Runs in a transaction of its own, because the journal may be emptied only after its events are stored as taken.
      ends.takeJournals(of: [identifier])
      runner.isOwned(identifier, by: app.processes)
      welcome(app, session)
    }
  }

  /// Has the new connection wait until the app's earlier one has been read to its end, because messages sent before the app ended come first.
  private func wait(for other: AppAttachment, _ attachment: Attachment, on connection: Connection) {
    connection.role = .waiting(attachment)
    let earlier = successors.updateValue(connection, forKey: other.session)
    earlier?.link.close()
    loop.asyncAfter(deadline: .now() + AppSessions.endPatience) { [weak self] in
      guard let self, apps.has(other) else { return }
      // A program that the app has started may have inherited the connection. Everything that the app itself has sent is still read before it closes.
      other.link.closeAfterReading()
    }
  }

  /// The app's earlier connection has ended: the waiting one attaches.
  private func attachNow(_ connection: Connection, to session: Int64) {
    guard isServing else { return }
    guard case .waiting(let attachment) = connection.role else {
      // The waiting connection has ended, too, so that no process has the session.
      if apps[session] == nil { isLeft(session) }
      return
    }
    connection.role = .new
    attachAnew(attachment, connection)
  }

  /// Whether the same process attaches its session again: the end of its earlier connection may be noticed after the new one.
  private func isSame(_ app: AppAttachment, _ attachment: Attachment, _ connection: Connection) -> Bool {
    app.processes == (attachment.process, connection.link.peer.process)
  }

  private func welcome(_ app: AppAttachment, _ session: QueueSessions.Session) {
    tell(app) { sessions in
      let missed = try sessions.queue.presence.countOfEvents(of: app.session)
      // Transfers that are added from now on come from this app itself, so that it isn't told about them.
      let newest = try sessions.queue.presence.newestTransfer(of: app.session)
      let page = try sessions.page(of: app, after: 0, upTo: newest)
      let snapshot = SessionSnapshot(
        session: app.session, journals: sessions.context.places.taken.path(percentEncoded: false), nextTask: session.nextTask,
        tasks: page.transfers.map(sessions.state), missedEvents: missed)
      app.link.send(DaemonMessage.attached(snapshot))
      sessions.tellTasks(app, after: page.next, upTo: newest)
    }
  }

  private func page(of app: AppAttachment, after previous: Int64, upTo newest: Int64) throws -> TransferQueue.Page {
    try queue.page(
      of: app.session, after: previous, upTo: newest, limit: AppSessions.portion, bytes: AppSessions.portionBytes)
  }

  /// Sends further pages of tasks, each when the one before has left: all of them together may be too much for memory.
  private func tellTasks(_ app: AppAttachment, after previous: Int64?, upTo newest: Int64) {
    guard let previous else { return hasTold(app) }
    whenSent(to: app) { sessions in
      let page = try sessions.page(of: app, after: previous, upTo: newest)
      app.link.send(DaemonMessage.moreTasks(page.transfers.map(sessions.state)))
      sessions.tellTasks(app, after: page.next, upTo: newest)
    }
  }

  /// The app has been told all its tasks: missed events and questions follow.
  private func hasTold(_ app: AppAttachment) {
    // Damaged rows that were found while its tasks were read become events, which belong to those that the app has missed.
    ends.tellDamaged()
    app.telling = .missed(AppAttachment.MissedEvents())
    tellMissed(app)
    questions.askAgain(app)
    requestTurn()
    toolsChanged()
    considerIdleness()
  }

  /// Sends a page of events that the app hasn't taken. The next page follows when this one has left and the app has taken most of what was sent, so
  /// that ten thousand events are never in memory at once.
  func tellMissed(_ app: AppAttachment) {
    guard case .missed(var missed) = app.telling, !missed.isSending, missed.untaken.count <= AppSessions.window / 2 else { return }
    tell(app) { sessions in
      let page = try sessions.queue.eventPage(
        of: app.session, after: missed.last, limit: AppSessions.portion, bytes: AppSessions.portionBytes)
      for event in page.events { app.send(event) }
      guard !page.isLast else {
        app.telling = .present
        app.link.send(DaemonMessage.caughtUp)
        return
      }
      missed.last = page.last
      missed.untaken.formUnion(page.events.map(\.identifier))
      missed.isSending = true
      app.telling = .missed(missed)
      sessions.whenSent(to: app) { sessions in
        guard case .missed(var missed) = app.telling else { return }
        missed.isSending = false
        app.telling = .missed(missed)
        sessions.tellMissed(app)
      }
    }
  }

  /// Calls `body` when everything sent to the app so far has left, if the app still has the session.
  private func whenSent(to app: AppAttachment, _ body: @escaping @Sendable (AppSessions) throws -> Void) {
    app.link.afterSending { [weak self] in
      guard let self else { return }
      loop.async { self.tell(app, body) }
    }
  }

  /// Calls `body` if the app still has the session. If the database can't be read the connection is closed, and the app tries again.
  private func tell(_ app: AppAttachment, _ body: (AppSessions) throws -> Void) {
    guard apps.has(app), isServing else { return }
    do { try body(self) } catch {
      report("the queue can't be read: \(error)")
      app.link.close()
    }
  }

  private func state(_ transfer: TransferQueue.Transfer) -> TransferState {
    let run = runner.table.runs[transfer.identifier]
    run?.takeCounts()
    return TransferState(
      order: transfer.order, isSuspended: transfer.isSuspended, progress: run?.progress ?? transfer.progress,
      response: run?.response ?? transfer.response)
  }

  /// The app's connection has ended: the session is free for another process.
  func detach(_ app: AppAttachment) {
    guard apps.has(app) else { return }
    apps.all[app.session] = nil
    guard isServing else { return }
    if app.isCancelled { ends.removeEvents(of: app.session) } else { ends.takeJournals(of: [app.session]) }
    do { try queue.sessions.keepUse(of: app.session, now: now) } catch { report("the queue can't be written: \(error)") }
    ends.endSessionIfOver(app.session)
    guard let next = successors.removeValue(forKey: app.session) else { return isLeft(app.session) }
    // The app's next connection is asked the questions that this one hasn't answered.
    loop.async { [weak self] in self?.attachNow(next, to: app.session) }
  }

  /// No process has the session any more: open questions are answered without the app, which may be launched.
  private func isLeft(_ session: Int64) {
    questions.withdrawQuestions(of: session)
    launcher.consider(session)
    requestTurn()
    considerIdleness()
  }
}
