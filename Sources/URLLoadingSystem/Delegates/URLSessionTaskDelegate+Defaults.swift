import Foundation

// What a conformer does not implement. A plain default does nothing; a default that owes an answer gets it from the other spelling of the
// method if the class has that, and else gives the answer that Apple documents for an absent method.

extension URLSessionTaskDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    DelegateProbe.noteDefault(self, .didCreateTask)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    DelegateProbe.noteDefault(self, .taskIsWaitingForConnectivity)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    DelegateProbe.noteDefault(self, .didSendBodyData)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
    DelegateProbe.noteDefault(self, .didReceiveInformationalResponse)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    DelegateProbe.noteDefault(self, .didFinishCollectingMetrics)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    DelegateProbe.noteDefault(self, .didComplete)
  }
}

extension URLSessionTaskDelegate {
  /// Answers through the `async` spelling if the class implements it, else continues with the original request.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    DelegateQuestion.delayedRequest(to: self).answerFromDefault(
      async: { await self.urlSession(session, task: task, willBeginDelayedRequest: request) },
      completion: { completionHandler($0.0, $0.1) })
  }

  /// Answers through the completion handler spelling if the class implements it, else continues with the original request.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    await DelegateQuestion.delayedRequest(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, task: task, willBeginDelayedRequest: request) { answer(($0, $1)) }
    }
  }

  /// Answers through the `async` spelling if the class implements it, else follows the redirect.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    DelegateQuestion.redirection(to: self, proposed: request).answerFromDefault(
      async: { await self.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request) },
      completion: completionHandler)
  }

  /// Answers through the completion handler spelling if the class implements it, else follows the redirect.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    await DelegateQuestion.redirection(to: self, proposed: request).answerFromAsyncDefault { answer in
      self.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request, completionHandler: answer)
    }
  }

  /// Answers through the `async` spelling if the class implements it, else asks for default handling.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let challenge = Transferred(challenge)
    DelegateQuestion.taskChallenge(to: self).answerFromDefault(
      async: { await self.urlSession(session, task: task, didReceive: challenge.value) },
      completion: { completionHandler($0.0, $0.1) })
  }

  /// Answers through the completion handler spelling if the class implements it, else asks for default handling.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    await DelegateQuestion.taskChallenge(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, task: task, didReceive: challenge) { answer(($0, $1)) }
    }
  }

  /// Answers through the `async` spelling if the class implements it, else with no stream.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    DelegateQuestion.bodyStream(to: self).answerFromDefault(
      async: { await self.urlSession(session, needNewBodyStreamForTask: task) },
      completion: completionHandler)
  }

  /// Answers through the completion handler spelling if the class implements it, else with no stream.
  public func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async -> InputStream? {
    await DelegateQuestion.bodyStream(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, task: task, needNewBodyStream: answer)
    }
  }

  /// Answers through the `async` spelling if the class implements it, else with no stream.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    DelegateQuestion.bodyStreamFromOffset(to: self).answerFromDefault(
      async: { await self.urlSession(session, needNewBodyStreamForTask: task, from: offset) },
      completion: completionHandler)
  }

  /// Answers through the completion handler spelling if the class implements it, else with no stream.
  public func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
  ) async -> InputStream? {
    await DelegateQuestion.bodyStreamFromOffset(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, task: task, needNewBodyStreamFrom: offset, completionHandler: answer)
    }
  }
}
