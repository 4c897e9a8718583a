import Foundation
import LoadingModel
import URLLoadingSystem

/// The delegate of a background session: writes down what it is told, keeps what is downloaded, and answers challenges.
final class BackgroundRecorder: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
  private struct State {
    var events: [String] = []
    var contents: [Int: Data] = [:]
    var errors: [Int: (any Error)?] = [:]
    var waiting: [Int: CheckedContinuation<(any Error)?, Never>] = [:]
    var hasWritten: Set<Int> = []
    /// The latest counts that progress was told with.
    var written: [Int: Int64] = [:]
    var sent: [Int: Int64] = [:]
    var waitingForBytes: [Int: CheckedContinuation<Void, Never>] = [:]
    var invalidation: (any Error)??
    var invalidationWaiter: CheckedContinuation<(any Error)?, Never>?
  }

  private let state = Mutex(State())
  private let credential: URLCredential?
  private let trusts: Bool
  private let delayed: @Sendable (URLRequest) -> (URLSession.DelayedRequestDisposition, URLRequest?)

  init(
    credential: URLCredential? = nil, trusts: Bool = false,
    delayed: @escaping @Sendable (URLRequest) -> (URLSession.DelayedRequestDisposition, URLRequest?) = { _ in (.continueLoading, nil) }
  ) {
    self.credential = credential
    self.trusts = trusts
    self.delayed = delayed
  }

  var events: [String] { state.withLock { $0.events } }

  /// What was downloaded, or came in answer to an upload.
  func content(of task: URLSessionTask) -> Data? { state.withLock { $0.contents[task.taskIdentifier] } }

  /// How many bytes the latest `didWriteData` has told; nil if there was none.
  func bytesWritten(by task: URLSessionTask) -> Int64? { state.withLock { $0.written[task.taskIdentifier] } }

  /// How many bytes the latest `didSendBodyData` has told; nil if there was none.
  func bytesSent(by task: URLSessionTask) -> Int64? { state.withLock { $0.sent[task.taskIdentifier] } }

  /// Waits for the end of the task.
  func end(of task: URLSessionTask) async -> (any Error)? { await end(ofTask: task.taskIdentifier) }

  func end(ofTask identifier: Int) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> (any Error)?? in
        if let error = state.errors[identifier] { return error }
        state.waiting[identifier] = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Waits until the download has bytes on the disk.
  func firstBytes(of task: URLSessionTask) async {
    let identifier = task.taskIdentifier
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.hasWritten.contains(identifier) { return true }
        state.waitingForBytes[identifier] = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Waits until the session is invalid.
  func invalidation() async -> (any Error)? {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> (any Error)?? in
        if state.invalidation == nil { state.invalidationWaiter = continuation }
        return state.invalidation
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  private func note(_ event: String) { state.withLock { $0.events.append(event) } }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    let waiter = state.withLock { state in
      state.invalidation = .some(error)
      defer { state.invalidationWaiter = nil }
      return state.invalidationWaiter
    }
    waiter?.resume(returning: error)
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    note("file")
    let data = try? Data(contentsOf: location)
    state.withLock { $0.contents[downloadTask.taskIdentifier] = data }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    note("resumed at \(fileOffset)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    let waiter = state.withLock { state in
      state.hasWritten.insert(downloadTask.taskIdentifier)
      state.written[downloadTask.taskIdentifier] = totalBytesWritten
      return state.waitingForBytes.removeValue(forKey: downloadTask.taskIdentifier)
    }
    waiter?.resume()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    state.withLock { $0.sent[task.taskIdentifier] = totalBytesSent }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    note("data")
    state.withLock { $0.contents[dataTask.taskIdentifier, default: Data()] += data }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    note("metrics \(metrics.transactionMetrics.last?.networkProtocolName ?? "-")")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    note("redirection")
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    note("challenge \(challenge.protectionSpace.authenticationMethod) \(challenge.previousFailureCount)")
    if trusts, let trust = challenge.protectionSpace.serverTrust { return completionHandler(.useCredential, URLCredential(trust: trust)) }
    guard let credential, challenge.previousFailureCount == 0 else { return completionHandler(.performDefaultHandling, nil) }
    completionHandler(.useCredential, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    note("delayed")
    let (disposition, request) = delayed(request)
    completionHandler(disposition, request)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note("completed \(error.map { "\(($0 as NSError).code)" } ?? "ok")")
    let waiter = state.withLock { state in
      state.errors[task.taskIdentifier] = .some(error)
      return state.waiting.removeValue(forKey: task.taskIdentifier)
    }
    waiter?.resume(returning: error)
  }
}
