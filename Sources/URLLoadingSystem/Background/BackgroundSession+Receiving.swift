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
    case .refused(let refusal): refused(refusal)
    case .event(let event): told(of: event)
    case .caughtUp: caughtUp()
    case .progress(let progress): show(progress)
    case .response(let task, let data): show(response: data, of: task)
    case .resumed(let task, let offset, let expected): show(resumption: task, offset, expected)
    case .challenge(let question, let challenge): answer(question, challenge)
    case .delayed(let question, let task): begin(question, task)
    case .created, .tool: break
    }
  }

  private func refused(_ refusal: Refusal) {
    let hasAttached = state.withLock { $0.journal != nil }
    // Another process has taken the session while the daemon was away; or this one's old connection hasn't been noticed to be gone.
    if hasAttached, refusal.reason == .sessionInUse { return }
    fail(LoadError(refusal))
  }

  private func attached(_ snapshot: SessionSnapshot, on link: MessageLink) {
    guard snapshot.version == WireVersion.current else {
      return fail(
        LoadError(
          .backgroundSessionWasDisconnected, .admission,
          "the running urlsessiond is of version \(snapshot.version), this library of \(WireVersion.current); end the older one"))
    }
    let session: URLSession? = state.withLock { state in
      guard case .attaching = state.phase else { return nil }
      defer { state.journal = TakenJournal(folder: URL(filePath: snapshot.journals), session: snapshot.session) }
      state.phase = .attached(link)
      state.missedEvents = snapshot.missedEvents
      state.known = []
      state.restores = state.journal == nil
      state.failures = 0
      return state.session
    }
    guard let session else { return link.close() }
    session.registry.reserve(upTo: snapshot.nextTask)
    reconcile(snapshot.tasks)
  }

  /// Tasks that the daemon has, or some of them.
  private func reconcile(_ tasks: [TransferState]) {
    let (session, restores): (URLSession?, Bool) = state.withLock { state in
      state.known.formUnion(tasks.map(\.order.task))
      return (state.session, state.restores)
    }
    guard let session else { return }
    for task in tasks { reconcile(task, session, mayRestore: restores) }
  }

  private func reconcile(_ transfer: TransferState, _ session: URLSession, mayRestore: Bool) {
    let identifier = transfer.order.task
    guard let task = state.withLock({ $0.tasks[identifier] }) else {
      if mayRestore { return restore(transfer, session) }
      // It was cancelled with its session, which the daemon that was killed hadn't noted.
      return send(.cancel(task: identifier, wantsResumeData: false))
    }
    switch task.state {
    case .canceling: sendCancellation(of: task)
    case .running: if transfer.isSuspended { send(.resume(task: identifier)) }
    case .suspended: if !transfer.isSuspended { send(.suspend(task: identifier)) }
    case .completed: break
    }
  }

  /// Every event from before the attachment has been told.
  private func caughtUp() {
    let (session, missed, lost) = state.withLock { state -> (URLSession?, Int, [URLSessionTask]) in
      let lost = state.tasks.values.filter { !state.known.contains($0.taskIdentifier) }
      defer { state.missedEvents = 0 }
      return (state.session, state.missedEvents, lost)
    }
    guard let session else { return }
    // Made while the daemon was away, or just before it was killed.
    for task in lost.sorted(by: { $0.taskIdentifier < $1.taskIdentifier }) { sendCreation(of: task) }
    if missed > 0 || BackgroundLaunches.identifier == identifier {
      session.pump.post { [weak session] in
        guard let session else { return }
        _ = session.messages?.didFinishEvents(session)
      }
    }
    // Those who ask for the session's tasks are answered after the events, by which they know what has ended meanwhile.
    settle()
  }

  // MARK: on the way

  private func task(_ identifier: Int) -> (URLSessionTask, URLSession)? {
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
