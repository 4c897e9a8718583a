import Foundation

/// Messages of data and upload tasks.
@preconcurrency
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  /// The response arrived; nothing more is delivered until it is answered. By default the load continues.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// The `async` form of the method about the response of a data task, `urlSession(_:dataTask:didReceive:completionHandler:)`.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition

  /// The data task became a download task, which gets all further messages.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)

  /// The data task became a stream task, which gets all further messages.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask)

  /// The next bytes of the body, in order. The data may consist of several regions.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

  /// The response is about to be stored in the cache. By default it is stored as proposed.
  ///
  /// Answer with the proposed response, with a changed one, or with `nil` to store nothing.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)

  /// The `async` form of `urlSession(_:dataTask:willCacheResponse:completionHandler:)`.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
  ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
  /// Default implementation: calls the `async` form of this method, if the class implements that; otherwise lets the load continue.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    DelegateQuestion.response(to: self).answerFromDefault(
      async: { await self.urlSession(session, dataTask: dataTask, didReceive: response) },
      completion: completionHandler)
  }

  /// Default implementation: calls the form of this method with a completion handler, if the class implements that; otherwise lets the load continue.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    await DelegateQuestion.response(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: answer)
    }
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask) {
    DelegateProbe.noteDefault(self, .didBecomeDownloadTask)
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask) {
    DelegateProbe.noteDefault(self, .didBecomeStreamTask)
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    DelegateProbe.noteDefault(self, .didReceiveData)
  }

  /// Default implementation: calls the `async` form of this method, if the class implements that; otherwise has the response stored as proposed.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    DelegateQuestion.cacheStorage(to: self, proposed: proposedResponse).answerFromDefault(
      async: { await self.urlSession(session, dataTask: dataTask, willCacheResponse: proposedResponse) },
      completion: completionHandler)
  }

  /// Default implementation: calls the form of this method with a completion handler, if the class implements that; otherwise has the response stored
  /// as proposed.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
  ) async -> CachedURLResponse? {
    await DelegateQuestion.cacheStorage(to: self, proposed: proposedResponse).answerFromAsyncDefault { answer in
      self.urlSession(session, dataTask: dataTask, willCacheResponse: proposedResponse, completionHandler: answer)
    }
  }
}
