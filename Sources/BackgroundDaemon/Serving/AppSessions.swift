import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// Apps take their sessions, are told what they missed, and leave. A part of the daemon, confined to its queue.
final class AppSessions: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// How many transfers are sent in one message, and about how many bytes of theirs.
  private static let portion = 500
  private static let portionBytes = 3 << 20
  /// Seconds after which the connection of a process that has ended is taken to be held open by another one.
  private static let endPatience = 1.0
  /// How many missed events are on their way to an app at once.
  private static let window = 2000

  let context: DaemonContext
  let runner: TransferRunner
  let apps: AttachedApps
  let questions: AppQuestions
  let ends: SessionEnds
  private let launcher: Launcher
  /// By session: connections that attach when an earlier one has been read.
  private var successors: [Int64: Connection] = [:]
  /// Takes a connection's first message once more.
  var attachAnew: (Attachment, Connection) -> Void = { _, _ in }

  init(_ runner: TransferRunner, _ apps: AttachedApps, _ launcher: Launcher) {
    (context, self.runner, self.apps, self.launcher) = (runner.context, runner, apps, launcher)
    ends = SessionEnds(runner, apps)
    questions = AppQuestions(runner, apps, launcher, ends)
  }

  func attach(_ attachment: Attachment, on connection: Connection, _ batch: MessageBatch) throws {
    try AttachmentRefusals.checkVersion(attachment)
    // Before the terms are taken: a process that is refused changes nothing.
    if let known = try queue.sessions.find(attachment.terms.key), let other = apps[known.identifier] {
      guard isSame(other, attachment, connection) || !ProcessPresence.isAlive(other.processes.real) else {
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
    // Those that have failed for want of an answer may begin.
    try queue.endWaitForApp(in: identifier)
    app.transfers = try queue.presence.countOfTransfers(of: identifier)
    batch.afterCommit { [weak self] in
      guard let self else { return }
      // A transaction of its own: the journal is emptied when its events are taken for good.
      ends.takeJournals(of: [identifier])
      welcome(app, session)
    }
  }

  /// What an app says just before it ends comes before what its next process says: its connection is read to the end first.
  private func wait(for other: AppAttachment, _ attachment: Attachment, on connection: Connection) {
    connection.role = .waiting(attachment)
    let earlier = successors.updateValue(connection, forKey: other.session)
    earlier?.link.close()
    loop.asyncAfter(deadline: .now() + AppSessions.endPatience) { [weak self] in
      guard let self, apps.has(other) else { return }
      // Another program may have inherited it. What the app itself has said is read first, however long that takes.
      other.link.closeAfterReading()
    }
  }

  /// The app's earlier connection has ended.
  private func attachNow(_ connection: Connection, to session: Int64) {
    guard isServing else { return }
    guard case .waiting(let attachment) = connection.role else {
      // It has ended, too.
      if apps[session] == nil { isLeft(session) }
      return
    }
    connection.role = .new
    attachAnew(attachment, connection)
  }

  /// Whether the process makes the session anew: the end of its earlier connection may come later than the new one.
  private func isSame(_ app: AppAttachment, _ attachment: Attachment, _ connection: Connection) -> Bool {
    app.processes == (attachment.process, connection.link.peer.process)
  }

  private func welcome(_ app: AppAttachment, _ session: QueueSessions.Session) {
    tell(app) { sessions in
      let missed = try sessions.queue.presence.countOfEvents(of: app.session)
      // What is made from now on the app knows.
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

  /// Sends the next tasks when the ones before have left: all of them together may be too much for memory.
  private func tellTasks(_ app: AppAttachment, after previous: Int64?, upTo newest: Int64) {
    guard let previous else { return hasTold(app) }
    whenSent(to: app) { sessions in
      let page = try sessions.page(of: app, after: previous, upTo: newest)
      app.link.send(DaemonMessage.moreTasks(page.transfers.map(sessions.state)))
      sessions.tellTasks(app, after: page.next, upTo: newest)
    }
  }

  /// The app knows its tasks.
  private func hasTold(_ app: AppAttachment) {
    // What reading its tasks has found is among what it missed.
    ends.tellDamaged()
    app.telling = .missed(AppAttachment.MissedEvents())
    tellMissed(app)
    questions.askAgain(app)
    requestTurn()
    toolsChanged()
    considerIdleness()
  }

  /// Sends events that the app hasn't taken, a portion at a time, so that ten thousand of them aren't in memory at once; the next ones when
  /// these have left, and it has taken most of them.
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

  /// Calls `body` when what the app was sent has left, if it still has the session.
  private func whenSent(to app: AppAttachment, _ body: @escaping @Sendable (AppSessions) throws -> Void) {
    app.link.afterSending { [weak self] in
      guard let self else { return }
      loop.async { self.tell(app, body) }
    }
  }

  /// Calls `body` if the app still has the session. An app that can't be told what the queue has tries again.
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

  /// The connection has ended.
  func detach(_ app: AppAttachment) {
    guard apps.has(app) else { return }
    apps.all[app.session] = nil
    guard isServing else { return }
    if app.isCancelled { ends.removeEvents(of: app.session) } else { ends.takeJournals(of: [app.session]) }
    do { try queue.sessions.keepUse(of: app.session, now: now) } catch { report("the queue can't be written: \(error)") }
    ends.endSessionIfOver(app.session)
    guard let next = successors.removeValue(forKey: app.session) else { return isLeft(app.session) }
    // It is asked what this one hasn't answered.
    loop.async { [weak self] in self?.attachNow(next, to: app.session) }
  }

  /// No process has the session.
  private func isLeft(_ session: Int64) {
    questions.withdrawQuestions(of: session)
    launcher.consider(session)
    requestTurn()
    considerIdleness()
  }
}
