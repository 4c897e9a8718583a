import BackgroundTransfers
import Foundation
import LoadingModel

// How a task ends: the daemon has said so, and the app's calls follow. The daemon keeps the event until they have returned.

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
      // The session has been cancelled since the daemon told of the end.
      error = error ?? LoadError.cancelled().urlError(failingURL: task.originalRequest?.url)
    }
    if chain.mayImplement(.didFinishCollectingMetrics), let metrics = outcome.metrics.flatMap({ BackgroundCoding.metrics($0) }) {
      session.pump.post { chain.didFinishCollecting(session, task, metrics) }
    }
    session.pump.post { [self, error] in
      // Not before: on the delegate queue a task is among the session's tasks until its completion is told.
      for handler in mirror.close(error) { handler(outcome.error?.resumeData) }
      chain.didComplete(session, task, error)
      taken(event)
      // Not before: a session without tasks may end, and its successor would be told of the event again.
      if session.registry.remove(task) { session.becomeInvalid() }
    }
  }

  /// The app's calls have returned. Noted in a file first, which survives the end of this process; then the daemon is told.
  private func taken(_ event: TransferEvent) {
    let journal = state.withLock { state in
      state.tasks.take(event.identifier)
      return state.journal
    }
    // The daemon doesn't keep it, and may have forgotten the session together with its journal: nothing would remove another one.
    guard !event.isRefusal else { return }
    try? journal?.append(events: [event.identifier])
    send(.taken(events: [event.identifier]))
  }
}
