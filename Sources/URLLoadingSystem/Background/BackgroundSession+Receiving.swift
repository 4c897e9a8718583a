import BackgroundTransfers
import Foundation
import LoadingModel

// What the daemon says. Called on the link's queue; what it leads to runs on the delegate queue.

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
    case .progress(let progress): show(progress)
    case .response(let task, let data): show(response: data, of: task)
    case .resumed(let task, let offset, let expected): show(resumption: task, offset, expected)
    case .challenge(let question, let challenge): answer(question, challenge, on: link)
    case .delayed(let question, let task): begin(question, task, on: link)
    case .invalidated: invalidationIsKnown()
    case .created, .tool: break
    }
  }

  private func refused(_ refusal: Refusal, on link: MessageLink) {
    let hasAttached = state.withLock { $0.beginning == .settled }
    if takesOver(refusal, link) { return link.close() }
    switch refusal.reason {
    // Its disk may have room again; and of a session that was this process's, the other end isn't noticed to be gone yet.
    case .storage where hasAttached, .sessionInUse where hasAttached: link.close()
    case .storage, .sessionInUse, .version, .badMessage: fail(LoadError(refusal))
    }
  }

  /// Whether the daemon is of an older version than this library, and ends: the next one is this library's.
  private func takesOver(_ refusal: Refusal, _ link: MessageLink) -> Bool {
    switch refusal.reason {
    // One that doesn't know the first message of this version says that it is a bad one.
    case .version, .badMessage: break
    case .sessionInUse, .storage: return false
    }
    let mayTry = state.withLock { state in
      if case .attached = state.phase { return false }
      state.takeovers += 1
      return state.takeovers <= BackgroundSession.largestTakeovers
    }
    guard mayTry, let places = try? BackgroundPlaces.standard() else { return false }
    return OlderDaemon.end(link.peer, version: refusal.version ?? 1, of: places)
  }

  /// How many older daemons are asked to end: a service manager may start the same one again.
  private static let largestTakeovers = 2

  private func attached(_ snapshot: SessionSnapshot, on link: MessageLink) {
    guard snapshot.version == WireVersion.current else {
      return fail(
        LoadError(
          .backgroundSessionWasDisconnected, .admission,
          "the running urlsessiond is of version \(snapshot.version), this library of \(WireVersion.current); end the older one"))
    }
    let (isAttached, owes, session): (Bool, Bool, URLSession?) = state.withLock { state in
      guard case .attaching = state.phase else { return (false, false, nil) }
      state.journal = TakenJournalWriter(TakenJournal(folder: URL(filePath: snapshot.journals), session: snapshot.session))
      state.phase = .attached(link)
      (state.asked, state.hasGivenUp) = (nil, false)
      state.missedEvents = snapshot.missedEvents
      state.tasks.attach()
      return (true, state.owesInvalidation, state.session)
    }
    guard isAttached else { return link.close() }
    if owes { return send(.invalidate(cancelling: true)) }
    HandedFiles.removeOrphans(beside: snapshot.journals)
    session?.registry.reserve(upTo: snapshot.nextTask)
    allowTasks()
    reconcile(snapshot.tasks)
  }

  /// Tasks that the daemon has, or some of them.
  private func reconcile(_ tasks: [TransferState]) {
    guard let session = state.withLock({ $0.session }) else { return }
    for task in tasks { reconcile(task, session) }
    wakeWaiters()
  }

  private func reconcile(_ transfer: TransferState, _ session: URLSession) {
    let identifier = transfer.order.task
    switch state.withLock({ $0.tasks.reconcile(identifier, isFirst: $0.beginning < .settled) }) {
    case .update(let task):
      sendChanges(of: task, since: transfer.order)
      sendState(of: task)
    case .restore: restore(transfer, session)
    case .cancel: send(.cancel(task: identifier, wantsResumeData: false))
    case .none: break
    }
  }

  /// Every event from before the attachment has been told.
  private func caughtUp(on link: MessageLink) {
    let (session, missed, isFirst, lost) = state.withLock { state -> (URLSession?, Int, Bool, [URLSessionTask]) in
      defer { (state.missedEvents, state.failures) = (0, 0) }
      return (state.session, state.missedEvents, state.beginning < .settled, state.tasks.catchUp())
    }
    guard let session else { return settle() }
    // Made while the daemon was away, or just before it was killed.
    sendCreations(of: lost[...], on: link)
    if isFirst, missed > 0 || BackgroundLaunches.identifier == identifier {
      session.pump.post { [weak session] in
        guard let session else { return }
        _ = session.messages?.didFinishEvents(session)
      }
    }
    // Those who ask for the session's tasks are answered after the events, by which they know what has ended meanwhile.
    settle()
  }

  // MARK: on the way

  /// A task that the daemon carries, if it hasn't ended.
  func task(_ identifier: Int) -> (URLSessionTask, URLSession)? {
    state.withLock { state in
      guard let task = state.tasks[identifier], let session = state.session else { return nil }
      return (task, session)
    }
  }

  private func show(_ progress: TransferProgress) {
    guard let (task, session) = task(progress.task) else { return }
    var (sent, received): (Int64, Int64) = (0, 0)
    task.count { fields in
      sent = progress.sent - fields.sent
      received = progress.received - fields.received
      fields.sent = progress.sent
      fields.received = progress.received
      fields.expectedToSend = progress.expectedToSend
      fields.expectedToReceive = progress.expectedToReceive
    }
    let chain = task.chain
    if sent > 0, chain.mayImplement(.didSendBodyData) {
      let sent = sent
      session.pump.post {
        chain.didSendBodyData(session, task, bytes: sent, total: progress.sent, expected: progress.expectedToSend)
      }
    }
    if received > 0, chain.mayImplement(.didWriteData), let download = task as? URLSessionDownloadTask {
      let received = received
      session.pump.post {
        chain.didWriteData(session, download, bytes: received, total: progress.received, expected: progress.expectedToReceive)
      }
    }
  }

  private func show(response data: Data, of identifier: Int) {
    guard let (task, _) = task(identifier), let response = BackgroundCoding.response(data) else { return }
    task.count { fields in
      fields.response = response
      fields.expectedToReceive = response.expectedContentLength
    }
  }

  private func show(resumption identifier: Int, _ offset: Int64, _ expected: Int64) {
    guard let (task, session) = task(identifier), let download = task as? URLSessionDownloadTask else { return }
    task.count { fields in
      fields.received = offset
      fields.expectedToReceive = expected
    }
    let chain = task.chain
    guard chain.mayImplement(.didResumeDownload) else { return }
    session.pump.post { chain.didResume(session, download, atOffset: offset, expected: expected) }
  }
}
