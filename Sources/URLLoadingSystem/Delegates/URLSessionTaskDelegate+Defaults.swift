import Foundation

// Default implementations of optional methods. One without an answer does nothing. One with an answer calls the other form of the method, with a
// completion handler or `async`, if the class has that; otherwise it gives the answer that Apple documents for an absent method.

extension URLSessionTaskDelegate {
  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    DelegateProbe.noteDefault(self, .didCreateTask)
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    DelegateProbe.noteDefault(self, .taskIsWaitingForConnectivity)
  }

  /// Default implementation: does nothing.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    DelegateProbe.noteDefault(self, .didSendBodyData)
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
    DelegateProbe.noteDefault(self, .didReceiveInformationalResponse)
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    DelegateProbe.noteDefault(self, .didFinishCollectingMetrics)
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    DelegateProbe.noteDefault(self, .didComplete)
  }
}

extension URLSessionTaskDelegate {
  /// Default implementation: calls the `async` form of this method, if the class implements that; otherwise continues with the original request.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    DelegateQuestion.delayedRequest(to: self).answerFromDefault(
      async: { await self.urlSession(session, task: task, willBeginDelayedRequest: request) },
      completion: { completionHandler($0.0, $0.1) })
  }

  /// Default implementation: calls the form of this method with a completion handler, if the class implements that; otherwise continues with the
  /// original request.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    await DelegateQuestion.delayedRequest(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, task: task, willBeginDelayedRequest: request) { answer(($0, $1)) }
    }
  }

  /// Default implementation: calls the `async` form of this method, if the class implements that; otherwise follows the redirect.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    DelegateQuestion.redirection(to: self, proposed: request).answerFromDefault(
      async: { await self.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request) },
      completion: completionHandler)
  }

  /// Default implementation: calls the form of this method with a completion handler, if the class implements that; otherwise follows the redirect.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    await DelegateQuestion.redirection(to: self, proposed: request).answerFromAsyncDefault { answer in
      self.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request, completionHandler: answer)
    }
  }

  /// Default implementation: calls the `async` form of this method, if the class implements that; otherwise asks for default handling.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let challenge = Transferred(challenge)
    DelegateQuestion.taskChallenge(to: self).answerFromDefault(
      async: { await self.urlSession(session, task: task, didReceive: challenge.value) },
      completion: { completionHandler($0.0, $0.1) })
  }

  /// Default implementation: calls the form of this method with a completion handler, if the class implements that; otherwise asks for default
  /// handling.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    await DelegateQuestion.taskChallenge(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, task: task, didReceive: challenge) { answer(($0, $1)) }
    }
  }

  /// Default implementation: calls the `async` form of this method, if the class implements that; otherwise answers with no stream.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    DelegateQuestion.bodyStream(to: self).answerFromDefault(
      async: { await self.urlSession(session, needNewBodyStreamForTask: task) },
      completion: completionHandler)
  }

  /// Default implementation: calls the form of this method with a completion handler, if the class implements that; otherwise answers with no stream.
  public func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async -> InputStream? {
    await DelegateQuestion.bodyStream(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, task: task, needNewBodyStream: answer)
    }
  }

  /// Default implementation: calls the `async` form of this method, if the class implements that; otherwise answers with no stream.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    DelegateQuestion.bodyStreamFromOffset(to: self).answerFromDefault(
      async: { await self.urlSession(session, needNewBodyStreamForTask: task, from: offset) },
      completion: completionHandler)
  }

  /// Default implementation: calls the form of this method with a completion handler, if the class implements that; otherwise answers with no stream.
  public func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
  ) async -> InputStream? {
    await DelegateQuestion.bodyStreamFromOffset(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, task: task, needNewBodyStreamFrom: offset, completionHandler: answer)
    }
  }
}
