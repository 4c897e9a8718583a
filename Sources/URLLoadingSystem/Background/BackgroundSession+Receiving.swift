import BackgroundTransfers
import Foundation
import LoadingModel

// Messages from the daemon. They arrive on the connection's queue; the app's code they lead to runs on the delegate queue.

extension BackgroundSession {
  func receive(_ message: Data, on link: MessageLink) {
    let decoded: DaemonMessage
    do throws(Refusal) {
      decoded = try MessageCoding.decode(DaemonMessage.self, from: message)
    } catch {
      return fail(LoadError(error))
    }
    switch decoded {
    case .attached(let snapshot): attached(snapshot, on: link)
    case .moreTasks(let tasks): reconcile(tasks)
    case .refused(let refusal): refused(refusal, on: link)
    case .event(let event): told(of: event)
    case .caughtUp: caughtUp(on: link)
    case .progress(let progress): mirror(progress.task)?.show(progress)
    case .response(let task, let data): mirror(task)?.show(response: data)
    case .resumed(let task, let offset, let expected): mirror(task)?.show(resumptionAt: offset, expected)
    case .challenge(let number, let question):
      if let asked = asked(number, question.task, on: link) { return asked.ask(question) }
      reply(.answer(question: number, BackgroundCoding.reply(.performDefaultHandling, nil)), on: link)
    case .delayed(let number, let task):
      if let asked = asked(number, task, on: link) { return asked.askToBegin() }
      reply(.begin(question: number, .proceed), on: link)
    case .invalidated: invalidationIsKnown()
    case .created, .tool: break
    }
  }

  private func refused(_ refusal: Refusal, on link: MessageLink) {
    let hasAttached = state.withLock { $0.attachment.beginning == .settled }
    if takesOver(refusal, link) { return link.close() }
    switch refusal.reason {
    // After a reconnection these refusals are temporary: the daemon's disk may get room again, and it may not have noticed yet that this session's
    // former connection is closed. The session connects again once the link is closed.
    case .storage where hasAttached, .sessionInUse where hasAttached: link.close()
    case .storage, .sessionInUse, .version, .badMessage: fail(LoadError(refusal))
    }
  }

  /// Whether the daemon is older than this library and has been ended; the daemon that is started next is this library's.
  private func takesOver(_ refusal: Refusal, _ link: MessageLink) -> Bool {
    switch refusal.reason {
    // A daemon that doesn't know this version's first message answers `badMessage`.
    case .version, .badMessage: break
    case .sessionInUse, .storage: return false
    }
    let mayTry = state.withLock { $0.attachment.takeOver() }
    guard mayTry, let places = try? BackgroundPlaces.standard() else { return false }
    return OlderDaemon.end(link.peer, version: refusal.version ?? 1, of: places)
  }

  private func attached(_ snapshot: SessionSnapshot, on link: MessageLink) {
    guard snapshot.version == WireVersion.current else {
      return fail(
        LoadError(
          .backgroundSessionWasDisconnected, .admission,
          "the running urlsessiond is of version \(snapshot.version), this library of \(WireVersion.current); end the older one"))
    }
    let (isAttached, owes, session): (Bool, Bool, URLSession?) = state.withLock { state in
      guard state.attachment.answered(on: link) else { return (false, false, nil) }
      state.journal = TakenJournalWriter(TakenJournal(folder: URL(filePath: snapshot.journals), session: snapshot.session))
      state.missedEvents = snapshot.missedEvents
      state.attach()
      return (true, state.owesInvalidation, state.session)
    }
    guard isAttached else { return link.close() }
    if owes { return send(.invalidate(cancelling: true)) }
    HandedFiles.removeOrphans(beside: snapshot.journals)
    session?.registry.reserve(upTo: snapshot.nextTask)
    allowTasks()
    reconcile(snapshot.tasks)
  }

  /// Compares the tasks that the daemon has, or a part of them, with the session's: updates, restores or cancels each.
  private func reconcile(_ tasks: [TransferState]) {
    guard let session = state.withLock({ $0.session }) else { return }
    for task in tasks { reconcile(task, session) }
    wakeWaiters()
  }

  private func reconcile(_ transfer: TransferState, _ session: URLSession) {
    let identifier = transfer.order.task
    switch state.withLock({ $0.tasks.reconcile(identifier, isFirst: $0.attachment.beginning < .settled) }) {
    case .update(let task):
      sendChanges(of: task, since: transfer.order)
      sendState(of: task)
    case .restore: restore(transfer, session)
    case .cancel: send(.cancel(task: identifier, wantsResumeData: false))
    case .none: break
    }
  }

  /// Handles the daemon's message that all events from before the attachment have been sent.
  private func caughtUp(on link: MessageLink) {
    let (session, missed, isFirst, lost) = state.withLock { state -> (URLSession?, Int, Bool, [URLSessionTask]) in
      defer { state.missedEvents = 0 }
      state.attachment.caughtUp()
      return (state.session, state.missedEvents, state.attachment.beginning < .settled, state.tasks.catchUp())
    }
    guard let session else { return settle() }
    // Tasks that the daemon doesn't have: they were made while it was away, or just before it was killed.
    sendCreations(of: lost[...], on: link)
    if isFirst, missed > 0 || BackgroundLaunches.identifier == identifier {
      session.pump.post { [weak session] in
        guard let session else { return }
        _ = session.messages?.didFinishEvents(session)
      }
    }
    // Settled last: callers who wait for the session's tasks are answered after the events, when tasks that have ended meanwhile are known.
    settle()
  }

  // MARK: Tasks and their progress

  /// The task with this identifier and its session; nil if the task has ended or isn't carried by the daemon.
  func task(_ identifier: Int) -> (URLSessionTask, URLSession)? {
    state.withLock { state in
      guard let task = state.tasks[identifier], let session = state.session else { return nil }
      return (task, session)
    }
  }

  private func mirror(_ identifier: Int) -> TaskMirror? {
    task(identifier).map { TaskMirror(task: $0, session: $1) }
  }

  // MARK: Questions

  /// Makes the object that puts a question of the daemon to the delegate; nil if the task has ended.
  private func asked(_ number: Int64, _ identifier: Int, on link: MessageLink) -> DaemonQuestion? {
    task(identifier).map { task, session in
      DaemonQuestion(number: number, task: task, session: session) { [self] message in reply(message, on: link) }
    }
  }

  /// Sends an answer to the daemon that asked; if another one runs meanwhile it is dropped, as that daemon numbers its questions anew.
  private func reply(_ message: AppMessage, on link: MessageLink) {
    state.withLock { state in
      if state.attachment.link === link { link.send(message) }
    }
  }
}
