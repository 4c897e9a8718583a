import Foundation

// Delegate methods without an answer; each function returns whether a delegate implements the method. Methods about a session as a whole aren't
// called through a chain, but through the session delegate's `DelegateMessages`.

extension DelegateChain {
  @discardableResult
  func didCreateTask(_ session: URLSession, _ task: URLSessionTask) -> Bool {
    tell { $0.didCreateTask(session, task) }
  }

  @discardableResult
  func taskIsWaitingForConnectivity(_ session: URLSession, _ task: URLSessionTask) -> Bool {
    tell { $0.taskIsWaitingForConnectivity(session, task) }
  }

  @discardableResult
  func didSendBodyData(_ session: URLSession, _ task: URLSessionTask, bytes: Int64, total: Int64, expected: Int64) -> Bool {
    tell { $0.didSendBodyData(session, task, bytes: bytes, total: total, expected: expected) }
  }

  @discardableResult
  func didReceiveInformationalResponse(_ session: URLSession, _ task: URLSessionTask, _ response: HTTPURLResponse) -> Bool {
    tell { $0.didReceiveInformationalResponse(session, task, response) }
  }

  @discardableResult
  func didFinishCollecting(_ session: URLSession, _ task: URLSessionTask, _ metrics: URLSessionTaskMetrics) -> Bool {
    tell { $0.didFinishCollecting(session, task, metrics) }
  }

  @discardableResult
  func didComplete(_ session: URLSession, _ task: URLSessionTask, _ error: (any Error)?) -> Bool {
    tell { $0.didComplete(session, task, error) }
  }

  @discardableResult
  func didBecome(_ session: URLSession, _ dataTask: URLSessionDataTask, _ downloadTask: URLSessionDownloadTask) -> Bool {
    tell { $0.didBecome(session, dataTask, downloadTask) }
  }

  @discardableResult
  func didBecome(_ session: URLSession, _ dataTask: URLSessionDataTask, _ streamTask: URLSessionStreamTask) -> Bool {
    tell { $0.didBecome(session, dataTask, streamTask) }
  }

  @discardableResult
  func didReceiveData(_ session: URLSession, _ dataTask: URLSessionDataTask, _ bytes: Data) -> Bool {
    tell { $0.didReceiveData(session, dataTask, bytes) }
  }

  @discardableResult
  func didFinishDownloading(_ session: URLSession, _ task: URLSessionDownloadTask, to location: URL) -> Bool {
    tell { $0.didFinishDownloading(session, task, to: location) }
  }

  @discardableResult
  func didWriteData(_ session: URLSession, _ task: URLSessionDownloadTask, bytes: Int64, total: Int64, expected: Int64) -> Bool {
    tell { $0.didWriteData(session, task, bytes: bytes, total: total, expected: expected) }
  }

  @discardableResult
  func didResume(_ session: URLSession, _ task: URLSessionDownloadTask, atOffset offset: Int64, expected: Int64) -> Bool {
    tell { $0.didResume(session, task, atOffset: offset, expected: expected) }
  }

  @discardableResult
  func readClosed(_ session: URLSession, _ task: URLSessionStreamTask) -> Bool {
    tell { $0.readClosed(session, task) }
  }

  @discardableResult
  func writeClosed(_ session: URLSession, _ task: URLSessionStreamTask) -> Bool {
    tell { $0.writeClosed(session, task) }
  }

  @discardableResult
  func betterRouteDiscovered(_ session: URLSession, _ task: URLSessionStreamTask) -> Bool {
    tell { $0.betterRouteDiscovered(session, task) }
  }

  @discardableResult
  func didBecome(_ session: URLSession, _ task: URLSessionStreamTask, _ input: InputStream, _ output: OutputStream) -> Bool {
    tell { $0.didBecome(session, task, input, output) }
  }

  @discardableResult
  func didOpen(_ session: URLSession, _ task: URLSessionWebSocketTask, protocol name: String?) -> Bool {
    tell { $0.didOpen(session, task, protocol: name) }
  }

  @discardableResult
  func didClose(
    _ session: URLSession, _ task: URLSessionWebSocketTask, _ code: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) -> Bool {
    tell { $0.didClose(session, task, code, reason: reason) }
  }
}
