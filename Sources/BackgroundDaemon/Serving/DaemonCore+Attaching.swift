import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

// An app takes its session, and leaves it.

extension DaemonCore {
  /// How many transfers are sent in one message, and about how many bytes of theirs.
  private static let portion = 500
  private static let portionBytes = 3 << 20
  /// Seconds in which the connection of a process that has ended must have been read.
  private static let endPatience = 1.0
  /// How many missed events are on their way to an app at once.
  private static let window = 2000

  func attach(_ attachment: Attachment, on connection: Connection, _ batch: MessageBatch) throws {
    guard attachment.version == WireVersion.current else {
      throw Refusal(
        .version,
        """
        The app speaks version \(attachment.version) of the background sessions' messages, urlsessiond version \(WireVersion.current). \
        Update the older one; a running urlsessiond ends when it is idle, or with SIGTERM.
        """)
    }
    // Before the terms are taken: a process that is refused changes nothing.
    if let known = try queue.session(attachment.terms.key), let other = apps[known.identifier] {
      guard isSame(other, attachment, connection) || !ProcessPresence.isAlive(other.processes.real) else {
        throw Refusal(
          .sessionInUse,
          "Process \(other.processes.real) has the session \(attachment.terms.identifier) already. A background session is one process's.")
      }
      return wait(for: other, attachment, on: connection)
    }
    let session = try queue.open(attachment.terms)
    let identifier = session.identifier
    let app = AppAttachment(identifier, connection.link, attachment)
    connection.role = .app(app)
    sessions[identifier] = session
    apps[identifier] = app
    let transfers = try queue.transfers(of: identifier)
    try resumeThoseThatWait(transfers)
    app.transfers = transfers.count
    batch.afterCommit { [weak self] in
      guard let self else { return }
      // A transaction of its own: the journal is emptied when its events are taken for good.
      takeJournals(of: [identifier])
      welcome(app, session, transfers)
    }
  }

  /// What an app says just before it ends comes before what its next process says: its connection is read to the end first.
  private func wait(for other: AppAttachment, _ attachment: Attachment, on connection: Connection) {
    connection.role = .waiting(attachment)
    let earlier = successors.updateValue(connection, forKey: other.session)
    earlier?.link.close()
    loop.asyncAfter(deadline: .now() + DaemonCore.endPatience) { [weak self] in
      guard let self, apps[other.session] === other else { return }
      // Another program may have inherited it.
      other.link.close()
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
    received([.success(.attach(attachment))], on: connection)
  }

  /// Whether the process makes the session anew: the end of its earlier connection may come later than the new one.
  private func isSame(_ app: AppAttachment, _ attachment: Attachment, _ connection: Connection) -> Bool {
    app.processes == (attachment.process, connection.link.peer.process)
  }

  private func welcome(_ app: AppAttachment, _ session: TransferQueue.Session, _ transfers: [TransferQueue.Transfer]) {
    guard apps[app.session] === app, let missed = try? queue.countOfEvents(of: app.session) else { return app.link.close() }
    var rest = transfers[...]
    let snapshot = SessionSnapshot(
      session: app.session, journals: places.taken.path(percentEncoded: false), nextTask: session.nextTask, tasks: portion(of: &rest),
      missedEvents: missed)
    app.link.send(DaemonMessage.attached(snapshot))
    while !rest.isEmpty { app.link.send(DaemonMessage.moreTasks(portion(of: &rest))) }
    tellMissed(app)
    askAgain(app)
    requestTurn()
    toolsChanged()
    considerIdleness()
  }

  /// The next transfers that fit one message; at least one.
  private func portion(of rest: inout ArraySlice<TransferQueue.Transfer>) -> [TransferState] {
    var (states, bytes): ([TransferState], Int) = ([], 0)
    while states.count < DaemonCore.portion, let next = rest.first {
      // In JSON: data takes a third more.
      let data = next.order.request.count + (next.order.resumeData?.count ?? 0) + (next.response?.count ?? 0)
      guard states.isEmpty || bytes + data <= DaemonCore.portionBytes else { break }
      states.append(state(next))
      bytes += data
      rest = rest.dropFirst()
    }
    return states
  }

  /// Sends events that the app hasn't taken, a portion at a time, so that ten thousand of them aren't in memory at once; the next ones when
  /// it has taken most of these.
  func tellMissed(_ app: AppAttachment) {
    guard case .missed(var sent) = app.telling, sent.count <= DaemonCore.window / 2, apps[app.session] === app else { return }
    do {
      let limit = sent.count + DaemonCore.window
      let events = try queue.events(of: app.session, limit: limit)
      for event in events where sent.insert(event.identifier).inserted { app.link.send(DaemonMessage.event(event)) }
      guard events.count < limit else { return app.telling = .missed(sent) }
      app.telling = .present
      app.link.send(DaemonMessage.caughtUp)
    } catch {
      report("the queue can't be read: \(error)")
      app.link.close()
    }
  }

  private func state(_ transfer: TransferQueue.Transfer) -> TransferState {
    let run = runs[transfer.identifier]
    run?.takeCounts()
    return TransferState(
      order: transfer.order, isSuspended: transfer.isSuspended, progress: run?.progress ?? transfer.progress,
      response: run?.response ?? transfer.response)
  }

  /// Those that have failed for want of an answer may begin.
  private func resumeThoseThatWait(_ transfers: [TransferQueue.Transfer]) throws {
    for transfer in transfers where transfer.waitReason == WaitReason.app {
      try queue.keepAttempt(transfer.attempts, next: nil, reason: nil, transfer.identifier)
    }
  }

  /// The connection has ended.
  func detach(_ app: AppAttachment) {
    guard apps[app.session] === app else { return }
    apps[app.session] = nil
    guard isServing else { return }
    if app.isCancelled { removeEvents(of: app.session) } else { takeJournals(of: [app.session]) }
    endSessionIfOver(app.session)
    guard let next = successors.removeValue(forKey: app.session) else { return isLeft(app.session) }
    // It is asked what this one hasn't answered.
    loop.async { [weak self] in self?.attachNow(next, to: app.session) }
  }

  /// No process has the session.
  private func isLeft(_ session: Int64) {
    withdrawQuestions(of: session)
    considerLaunch(session)
    requestTurn()
    considerIdleness()
  }

  /// The app has cancelled the session, and is told nothing more.
  private func removeEvents(of session: Int64) {
    do {
      let events = try queue.events(of: session).map(\.identifier)
      remove(try queue.take(events, of: session))
    } catch {
      report("the queue can't be written: \(error)")
    }
  }

  // MARK: what the app has taken without saying so

  /// Of all sessions.
  func takeJournals() {
    do { takeJournals(of: try queue.sessions().map(\.identifier)) } catch { report("the queue can't be read: \(error)") }
  }

  private func takeJournals(of sessions: [Int64]) {
    for session in sessions {
      do { remove(try takeJournal(of: session)) } catch { report("a journal of taken events can't be used: \(error)") }
    }
  }

  /// - Returns: Files to remove after the commit.
  private func takeJournal(of session: Int64) throws -> [String] {
    var files: [String] = []
    try TakenJournal(folder: places.taken, session: session).takeAll { events in
      files = try take(events, of: session)
    }
    return files
  }

  /// - Returns: Files to remove after the commit.
  func take(_ events: [Int64], of identifier: Int64) throws -> [String] {
    let files = try queue.take(events, of: identifier)
    // The app does its part: it may be launched again at once.
    if let session = try queue.session(identifier), session.launches.failures > 0 {
      try queue.keepLaunches(LaunchRules.tookEvents(session.launches), of: identifier)
    }
    return files
  }

  func remove(_ files: [String]) {
    for file in files { self.files.remove(file) }
  }

  /// A session that takes no more tasks and has none is forgotten.
  func endSessionIfOver(_ identifier: Int64) {
    do {
      guard let session = try queue.session(identifier), session.isInvalidated else { return }
      try queue.removeIfEmpty(identifier)
      guard try queue.session(identifier) == nil else { return }
      sessions[identifier] = nil
      engines.removeValue(forKey: identifier)?.invalidate()
      TakenJournal(folder: places.taken, session: identifier).remove()
    } catch {
      report("the queue can't be written: \(error)")
    }
  }
}
