@preconcurrency import Dispatch
import Foundation
import URLLoadingSystem

/// Hears of the tasks of one engine session, on the daemon's queue.
final class RunDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: `runs` is confined to the daemon's queue.
  private weak var core: DaemonCore?
  /// By task.
  var runs: [Int: TransferRun] = [:]

  init(_ core: DaemonCore) { self.core = core }

  private func run(_ task: URLSessionTask) -> (DaemonCore, TransferRun)? {
    guard let core, let run = runs[task.taskIdentifier] else { return nil }
    dispatchPrecondition(condition: .onQueue(core.loop))
    return (core, run)
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    guard let (core, run) = run(downloadTask) else { return }
    core.take(location, of: run)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    guard let (core, run) = run(downloadTask) else { return }
    core.hasMoved(run)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    guard let (core, run) = run(downloadTask) else { return }
    core.hasResumed(run, at: fileOffset, of: expectedTotalBytes)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    guard let (core, run) = run(task) else { return }
    core.hasMoved(run)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let (core, run) = run(dataTask) { core.hasMoved(run) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let (core, run) = run(dataTask) else { return }
    core.append(data, to: run)
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    guard let (core, run) = run(task) else { return }
    core.waitsForNetwork(run)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let (core, run) = run(task) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
    core.answer(challenge, of: run, completionHandler)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    guard let (_, run) = run(task) else { return }
    run.metrics = BackgroundCoding.data(metrics)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let (core, run) = run(task) else { return }
    runs[task.taskIdentifier] = nil
    core.hasEnded(run, error)
  }
}
