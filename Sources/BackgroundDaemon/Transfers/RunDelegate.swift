@preconcurrency import Dispatch
import Foundation
import URLLoadingSystem

/// Delegate of one engine session: receives the calls of its tasks on the session's queue, and hands them to the daemon's queue.
final class RunDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: `runs` is confined to the daemon's queue.
  private weak var runner: TransferRunner?
  /// The runs that haven't completed, by task identifier.
  var runs: [Int: TransferRun] = [:]

  init(_ runner: TransferRunner) { self.runner = runner }

  /// Runs `body` on the daemon's queue, if the task's run is known. Blocks the session's delegate queue meanwhile: so a fast server is slowed down,
  /// and a downloaded file exists until it is moved.
  private func with(_ task: URLSessionTask, _ body: (TransferRunner, TransferRun) -> Void) {
    guard let runner else { return }
    runner.loop.sync {
      guard let run = runs[task.taskIdentifier] else { return }
      body(runner, run)
    }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    with(downloadTask) { runner, run in runner.take(location, of: run) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    with(downloadTask) { runner, run in runner.hasMoved(run) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    with(downloadTask) { runner, run in runner.hasResumed(run, at: fileOffset, of: expectedTotalBytes) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    with(task) { runner, run in runner.hasMoved(run) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    with(dataTask) { runner, run in runner.hasMoved(run) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    with(dataTask) { runner, run in runner.append(data, to: run) }
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    with(task) { runner, run in runner.waitsForNetwork(run) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    with(task) { runner, run in runner.table.apps?.answer(challenge, of: run, completionHandler) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard !EngineSession.carries(request.url) else { return completionHandler(request) }
    with(task) { runner, run in runner.refuseRedirect(of: run, to: request.url) }
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    let data = BackgroundCoding.data(metrics)
    with(task) { _, run in run.metrics = data }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    with(task) { runner, run in
      runs[task.taskIdentifier] = nil
      runner.hasEnded(run, error)
    }
  }
}
