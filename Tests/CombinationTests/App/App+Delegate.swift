import Foundation
import URLLoadingSystem
import URLLoadingTestKit

extension App: URLSessionDataDelegate, URLSessionDownloadDelegate, URLSessionWebSocketDelegate, URLSessionStreamDelegate {
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { isInvalid.update { $0 = true } }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (Disposition, URLCredential?) -> Void
  ) {
    if isInvalid.read({ $0 }) { afterInvalidation.withLock { $0 += 1 } }
    answer(challenge, nil, completionHandler)
  }

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { noteMade(task) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (Disposition, URLCredential?) -> Void
  ) {
    answer(challenge, journal(task), completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    journal(task)?.note(.redirect(response.statusCode), .responded)
    let answer = chosen.redirect == .refuses ? nil : request
    self.answer(isLate: chosen.redirect == .late) { completionHandler(answer) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    _ = journal(task)
    nonisolated(unsafe) let stream = bodyStream(from: 0)
    answer(isLate: chosen.answer == .late) { completionHandler(stream) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    _ = journal(task)
    completionHandler(bodyStream(from: Int(offset)))
  }

  /// The body of a streamed upload; without an end that fails where the case says so.
  private func bodyStream(from offset: Int) -> InputStream? {
    switch chosen.source {
    case .whole: InputStream(data: alphabet(chosen.size.count).dropFirst(offset))
    case .fails: InputStream(fileAtPath: "/nonexistent/body")
    case .missing: nil
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    journal(task)?.note(.sent(totalBytesSent))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
    journal(task)?.note(.informational(response.statusCode))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    journal(task)?.note(.metrics)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let journal = journal(task)
    journal?.got(task.response)
    journal?.end(.completed((error as NSError?)?.code))
  }

  // MARK: data

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let journal = journal(dataTask)
    journal?.note(.response((response as? HTTPURLResponse)?.statusCode ?? 0), .responded)
    journal?.got(response)
    let disposition: URLSession.ResponseDisposition =
      switch chosen.work {
      case .becomeDownload: .becomeDownload
      case .becomeStream: .becomeStream
      default: .allow
      }
    answer(isLate: chosen.answer == .late) { completionHandler(disposition) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { journal(dataTask)?.took(data) }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask) {
    guard let journal = journal(dataTask) else { return }
    journal.note(.becameDownload)
    succeed(journal.number, downloadTask)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask) {
    guard let journal = journal(dataTask) else { return }
    journal.note(.becameStream)
    succeed(journal.number, streamTask)
    // A refusal has a body of its own, and the connection stays open behind it.
    let refusal = (dataTask.response as? HTTPURLResponse).flatMap { $0.statusCode == 200 ? nil : $0 }
    let count = refusal.map { max(0, Int($0.expectedContentLength)) } ?? chosen.size.count
    journal.reads(1)
    Task {
      await App.read(count, from: streamTask, journal)
      journal.reads(-1)
    }
  }

  private static func read(_ count: Int, from task: URLSessionStreamTask, _ journal: Journal) async {
    var rest = count
    while rest > 0 {
      guard let (data, isLast) = try? await task.readData(ofMinLength: 1, maxLength: rest, timeout: 0) else { break }
      if let data { journal.took(data) }
      rest -= data?.count ?? 0
      if isLast { break }
    }
    task.closeRead()
    task.closeWrite()
  }

  // MARK: downloads

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let journal = journal(downloadTask)
    journal?.got(downloadTask.response)
    journal?.took(file: location)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    journal(downloadTask)?.note(.written(totalBytesWritten), .received)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    journal(downloadTask)?.note(.resumed(fileOffset))
  }

  // MARK: conversations

  func urlSession(_ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?) {
    journal(webSocketTask)?.note(.opened, .responded)
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    journal(webSocketTask)?.note(.closed)
  }
}
