import BackgroundTransfers
import Foundation
import LoadingModel

/// Applies the daemon's messages about a task to the app's task object: updates its counts and calls the delegate.
///
/// Made by `BackgroundSession` for one message; the closures that it posts run on the delegate queue.
struct TaskMirror {
  let task: URLSessionTask
  let session: URLSession

  // MARK: Before the end

  func show(_ progress: TransferProgress) {
    var (sent, received): (Int64, Int64) = (0, 0)
    task.count { fields in
      sent = progress.sent - fields.sent
      received = progress.received - fields.received
      fields.sent = progress.sent
      fields.received = progress.received
      fields.expectedToSend = progress.expectedToSend
      fields.expectedToReceive = progress.expectedToReceive
    }
    tell(progress, sent: sent, received: received)
  }

  /// Calls the delegate if there are bytes that it hasn't been told of.
  private func tell(_ progress: TransferProgress, sent: Int64, received: Int64) {
    let (chain, task, session) = (task.chain, task, session)
    if sent > 0, chain.mayImplement(.didSendBodyData) {
      session.pump.post {
        chain.didSendBodyData(session, task, bytes: sent, total: progress.sent, expected: progress.expectedToSend)
      }
    }
    if received > 0, chain.mayImplement(.didWriteData), let download = task as? URLSessionDownloadTask {
      session.pump.post {
        chain.didWriteData(session, download, bytes: received, total: progress.received, expected: progress.expectedToReceive)
      }
    }
  }

  func show(response data: Data) {
    guard let response = BackgroundCoding.response(data) else { return }
    task.count { fields in
      fields.response = response
      fields.expectedToReceive = response.expectedContentLength
    }
  }

  func show(resumptionAt offset: Int64, _ expected: Int64) {
    guard let download = task as? URLSessionDownloadTask else { return }
    task.count { fields in
      fields.received = offset
      fields.expectedToReceive = expected
    }
    let (chain, session) = (task.chain, session)
    guard chain.mayImplement(.didResumeDownload) else { return }
    session.pump.post { chain.didResume(session, download, atOffset: offset, expected: expected) }
  }

  // MARK: The end

  /// Sets the task's response, request and counts to those of the finished transfer, before the app's last calls. Of a transfer that has succeeded the
  /// delegate is told the bytes since the last progress, which is told a few times a second.
  func show(_ outcome: TransferOutcome) {
    var (sent, received): (Int64, Int64) = (0, 0)
    let response = outcome.response.flatMap { BackgroundCoding.response($0) }
    let current = outcome.currentRequest.flatMap { BackgroundCoding.request($0) }
    task.count { fields in
      fields.response = response ?? fields.response
      fields.currentRequest = current?.load.withoutAttachedCookies ?? fields.currentRequest
      sent = outcome.sent - fields.sent
      received = outcome.received - fields.received
      fields.sent = outcome.sent
      fields.received = outcome.received
      fields.expectedToSend = outcome.expectedToSend
      fields.expectedToReceive = outcome.expectedToReceive
    }
    guard outcome.error == nil else { return }
    let progress = TransferProgress(
      task: task.taskIdentifier, sent: outcome.sent, received: outcome.received, expectedToSend: outcome.expectedToSend,
      expectedToReceive: outcome.expectedToReceive)
    tell(progress, sent: sent, received: received)
  }

  /// Gives the app the file of a finished transfer: a download's file, or the response's body of an upload.
  ///
  /// The app gets a hard link, made at once: if the app cancels its session before the delegate is called, the daemon removes its file.
  ///
  /// - Parameter isDownload: Whether a download task has succeeded, so that its delegate gets the file; ignored for uploads.
  /// - Returns: false if the daemon has removed the file already.
  func deliver(_ file: String, isDownload: Bool, _ event: Int64) -> Bool {
    let (chain, session) = (task.chain, session)
    let url = URL(filePath: file, directoryHint: .notDirectory)
    let download = task as? URLSessionDownloadTask
    guard download == nil ? chain.mayImplement(.didReceiveData) : isDownload else { return true }
    let handed = HandedFiles.link(url, event: event)
    guard handed != nil || access(file, F_OK) == 0 else { return false }
    let (task, place) = (task, handed ?? url)
    session.pump.post {
      if let download {
        chain.didFinishDownloading(session, download, to: place)
      } else if let upload = task as? URLSessionUploadTask {
        // The daemon limits the length of this body; the file is mapped rather than read into memory.
        let data = try? Data(contentsOf: place, options: .alwaysMapped)
        if let data, !data.isEmpty { chain.didReceiveData(session, upload, data) }
      }
      if let handed { unlink(handed.path(percentEncoded: false)) }
    }
    return true
  }

  /// Marks the task as completed with `error`; returns the callers that wait for resume data.
  func close(_ error: (any Error)?) -> [@Sendable (Data?) -> Void] {
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

  /// Ends a task in this process with `error`; events about it are acknowledged without being delivered.
  func end(_ error: LoadError) {
    let (chain, task, session) = (task.chain, task, session)
    let failure = error.urlError(failingURL: task.originalRequest?.url)
    for handler in close(failure) { session.pump.post { handler(nil) } }
    session.pump.post {
      chain.didComplete(session, task, failure)
      if session.registry.remove(task) { session.becomeInvalid() }
    }
  }
}
