import Foundation

// Calls of the delegate methods for data, download, stream and WebSocket tasks.

extension DelegateMessages {
  func didReceiveResponse(
    _ session: URLSession, _ dataTask: URLSessionDataTask, _ response: URLResponse,
    _ receiver: @escaping @Sendable (DelegateAnswer<URLSession.ResponseDisposition>) -> Void
  ) {
    guard let data else { return receiver(.notImplemented) }
    DelegateQuestion.response(to: data).ask(
      plain: { answer in data.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: answer) },
      async: { await data.urlSession(session, dataTask: dataTask, didReceive: response) },
      receiver: receiver)
  }

  func didBecome(_ session: URLSession, _ dataTask: URLSessionDataTask, _ downloadTask: URLSessionDownloadTask) -> Bool {
    tell(.didBecomeDownloadTask, data) { $0.urlSession(session, dataTask: dataTask, didBecome: downloadTask) }
  }

  func didBecome(_ session: URLSession, _ dataTask: URLSessionDataTask, _ streamTask: URLSessionStreamTask) -> Bool {
    tell(.didBecomeStreamTask, data) { $0.urlSession(session, dataTask: dataTask, didBecome: streamTask) }
  }

  func didReceiveData(_ session: URLSession, _ dataTask: URLSessionDataTask, _ bytes: Data) -> Bool {
    tell(.didReceiveData, data) { $0.urlSession(session, dataTask: dataTask, didReceive: bytes) }
  }

  func willCacheResponse(
    _ session: URLSession, _ dataTask: URLSessionDataTask, _ proposed: CachedURLResponse,
    _ receiver: @escaping @Sendable (DelegateAnswer<CachedURLResponse?>) -> Void
  ) {
    guard let data else { return receiver(.notImplemented) }
    DelegateQuestion.cacheStorage(to: data, proposed: proposed).ask(
      plain: { answer in data.urlSession(session, dataTask: dataTask, willCacheResponse: proposed, completionHandler: answer) },
      async: { await data.urlSession(session, dataTask: dataTask, willCacheResponse: proposed) },
      receiver: receiver)
  }
}

extension DelegateMessages {
  func didFinishDownloading(_ session: URLSession, _ task: URLSessionDownloadTask, to location: URL) -> Bool {
    tell(.didFinishDownloading, download) { $0.urlSession(session, downloadTask: task, didFinishDownloadingTo: location) }
  }

  func didWriteData(_ session: URLSession, _ task: URLSessionDownloadTask, bytes: Int64, total: Int64, expected: Int64) -> Bool {
    tell(.didWriteData, download) {
      $0.urlSession(
        session, downloadTask: task, didWriteData: bytes, totalBytesWritten: total, totalBytesExpectedToWrite: expected)
    }
  }

  func didResume(_ session: URLSession, _ task: URLSessionDownloadTask, atOffset offset: Int64, expected: Int64) -> Bool {
    tell(.didResumeDownload, download) {
      $0.urlSession(session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
    }
  }
}

extension DelegateMessages {
  func readClosed(_ session: URLSession, _ task: URLSessionStreamTask) -> Bool {
    tell(.readClosed, stream) { $0.urlSession(session, readClosedFor: task) }
  }

  func writeClosed(_ session: URLSession, _ task: URLSessionStreamTask) -> Bool {
    tell(.writeClosed, stream) { $0.urlSession(session, writeClosedFor: task) }
  }

  func betterRouteDiscovered(_ session: URLSession, _ task: URLSessionStreamTask) -> Bool {
    tell(.betterRouteDiscovered, stream) { $0.urlSession(session, betterRouteDiscoveredFor: task) }
  }

  func didBecome(_ session: URLSession, _ task: URLSessionStreamTask, _ input: InputStream, _ output: OutputStream) -> Bool {
    tell(.didBecomeStreams, stream) { $0.urlSession(session, streamTask: task, didBecome: input, outputStream: output) }
  }
}

extension DelegateMessages {
  func didOpen(_ session: URLSession, _ task: URLSessionWebSocketTask, protocol name: String?) -> Bool {
    tell(.didOpenWebSocket, webSocket) { $0.urlSession(session, webSocketTask: task, didOpenWithProtocol: name) }
  }

  func didClose(
    _ session: URLSession, _ task: URLSessionWebSocketTask, _ code: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) -> Bool {
    tell(.didCloseWebSocket, webSocket) { $0.urlSession(session, webSocketTask: task, didCloseWith: code, reason: reason) }
  }
}
