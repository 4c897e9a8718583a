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
      guard let task = task ?? restored(event, session) ?? unreadable(event, session) else { return taken(event) }
      finish(task, session, event)
    }
  }

  /// The task of an earlier process.
  private func restored(_ event: TransferEvent, _ session: URLSession) -> URLSessionTask? {
    guard let order = event.order else { return nil }
    let outcome = event.outcome
    let progress = TransferProgress(
      task: order.task, sent: outcome.sent, received: outcome.received, expectedToSend: outcome.expectedToSend,
      expectedToReceive: outcome.expectedToReceive)
    return makeTask(TransferState(order: order, isSuspended: false, progress: progress), session)
  }

  /// The task of an earlier process whose record can't be read any more. Its number and its URL tell the app which it was.
  private func unreadable(_ event: TransferEvent, _ session: URLSession) -> URLSessionTask? {
    let url = event.outcome.error?.failingURL.flatMap { URL(string: $0) }
    let task = newTask(event.task, event.kind ?? event.order?.kind ?? .download, url.map { URLRequest(url: $0).load }, session)
    return session.registry.addLate(task) ? task : nil
  }

  private func finish(_ task: URLSessionTask, _ session: URLSession, _ event: TransferEvent) {
    let outcome = event.outcome
    let key = task.resumeDataKey ?? NSURLSessionDownloadTaskResumeData
    let error = outcome.error.map { BackgroundCoding.error($0, resumeDataKey: key) }
    let chain = task.chain
    show(outcome, of: task)
    if let file = outcome.file { deliver(file, task, session, chain, isDownload: error == nil, event.identifier) }
    if chain.mayImplement(.didFinishCollectingMetrics), let metrics = outcome.metrics.flatMap({ BackgroundCoding.metrics($0) }) {
      session.pump.post { chain.didFinishCollecting(session, task, metrics) }
    }
    session.pump.post { [self] in
      // Not before: on the delegate queue a task is among the session's tasks until its completion is told.
      for handler in close(task, error) { handler(outcome.error?.resumeData) }
      chain.didComplete(session, task, error)
      taken(event)
      // Not before: a session without tasks may end, and its successor would be told of the event again.
      if session.registry.remove(task) { session.becomeInvalid() }
    }
  }

  /// What the app's last calls find in the task.
  private func show(_ outcome: TransferOutcome, of task: URLSessionTask) {
    let response = outcome.response.flatMap { BackgroundCoding.response($0) }
    let current = outcome.currentRequest.flatMap { BackgroundCoding.request($0) }
    task.count { fields in
      fields.response = response ?? fields.response
      fields.currentRequest = current?.load ?? fields.currentRequest
      fields.sent = outcome.sent
      fields.received = outcome.received
      fields.expectedToSend = outcome.expectedToSend
      fields.expectedToReceive = outcome.expectedToReceive
    }
  }

  /// The task is over as far as the app can see; those who wait for resume data are returned.
  func close(_ task: URLSessionTask, _ error: (any Error)?) -> [@Sendable (Data?) -> Void] {
    var waiting: [@Sendable (Data?) -> Void] = []
    task.count { fields in
      fields.state = .completed
      fields.lifecycle = .ended
      fields.error = error
      fields.delegate = nil
      fields.chain = DelegateChain()
      waiting = fields.resumeDataHandlers
      fields.resumeDataHandlers = []
    }
    return waiting
  }

  /// - Parameter isDownload: Whether the file is what a download task was to bring; an upload's is the body of its response.
  private func deliver(
    _ file: String, _ task: URLSessionTask, _ session: URLSession, _ chain: DelegateChain, isDownload: Bool, _ event: Int64
  ) {
    let url = URL(filePath: file, directoryHint: .notDirectory)
    if let download = task as? URLSessionDownloadTask {
      guard isDownload else { return }
      session.pump.post {
        let handed = HandedFiles.link(url, event: event)
        chain.didFinishDownloading(session, download, to: handed ?? url)
        if let handed { unlink(handed.path(percentEncoded: false)) }
      }
    } else if let upload = task as? URLSessionUploadTask, chain.mayImplement(.didReceiveData) {
      session.pump.post {
        // Bounded by the daemon; it is mapped rather than read.
        guard let data = try? Data(contentsOf: url, options: .alwaysMapped), !data.isEmpty else { return }
        chain.didReceiveData(session, upload, data)
      }
    }
  }

  /// The app's calls have returned. Noted in a file first, which survives the end of this process; then the daemon is told.
  private func taken(_ event: TransferEvent) {
    let journal = state.withLock { state in
      state.tasks.take(event.identifier)
      return state.journal
    }
    try? journal?.append(events: [event.identifier])
    send(.taken(events: [event.identifier]))
  }
}
