import BackgroundTransfers
import Foundation
import LoadingModel

// The end of a task in the daemon: delivers it to the app. The daemon keeps the event until the app's calls have returned.

extension BackgroundSession {
  func told(of event: TransferEvent) {
    let (step, session) = state.withLock { ($0.tasks.tell(event.identifier, of: event.task), $0.session) }
    switch step {
    case .none: break
    case .take: taken(event)
    case .deliver(let task):
      guard let session else { return }
      let earlier = EarlierTasks(session: session)
      guard let task = task ?? earlier.restored(event) ?? earlier.unreadable(event) else { return taken(event) }
      finish(task, session, event)
    }
  }

  private func finish(_ task: URLSessionTask, _ session: URLSession, _ event: TransferEvent) {
    let outcome = event.outcome
    let key = task.resumeDataKey ?? NSURLSessionDownloadTaskResumeData
    var error = outcome.error.map { BackgroundCoding.error($0, resumeDataKey: key) }
    let chain = task.chain
    let mirror = TaskMirror(task: task, session: session)
    mirror.show(outcome)
    if let file = outcome.file, !mirror.deliver(file, isDownload: error == nil, event.identifier) {
      // The session was cancelled after the daemon had sent the event, so the file isn't delivered.
      error = error ?? LoadError.cancelled().urlError(failingURL: task.originalRequest?.url)
    }
    if chain.mayImplement(.didFinishCollectingMetrics), let metrics = outcome.metrics.flatMap({ BackgroundCoding.metrics($0) }) {
      session.pump.post { chain.didFinishCollecting(session, task, metrics) }
    }
    session.pump.post { [self, error] in
      // Completed here and not earlier, so that code on the delegate queue finds the task among the session's tasks until `didComplete`.
      for handler in mirror.close(error) { handler(outcome.error?.resumeData) }
      chain.didComplete(session, task, error)
      taken(event)
      // Removed last: a session without tasks may become invalid, and the next session with its identifier would be sent the event again.
      if session.registry.remove(task) { session.becomeInvalid() }
    }
  }

  /// Acknowledges an event after the app's calls have returned: it is written to the journal, which survives this process, and then sent to the
  /// daemon.
  private func taken(_ event: TransferEvent) {
    let journal = state.withLock { state in
      state.tasks.take(event.identifier)
      return state.journal
    }
    // A refusal isn't kept by the daemon, and a journal of its own would remain if the daemon has forgotten the session.
    guard !event.isRefusal else { return }
    try? journal?.append(events: [event.identifier])
    send(.taken(events: [event.identifier]))
  }
}
