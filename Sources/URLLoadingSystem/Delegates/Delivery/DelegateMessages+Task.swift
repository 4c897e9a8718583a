import Foundation

extension DelegateMessages {
  func didCreateTask(_ session: URLSession, _ task: URLSessionTask) -> Bool {
    tell(.didCreateTask, self.task) { $0.urlSession(session, didCreateTask: task) }
  }

  func willBeginDelayedRequest(
    _ session: URLSession, _ task: URLSessionTask, _ request: URLRequest,
    _ receiver: @escaping @Sendable (DelegateAnswer<(URLSession.DelayedRequestDisposition, URLRequest?)>) -> Void
  ) {
    guard let delegate = self.task else { return receiver(.notImplemented) }
    DelegateQuestion.delayedRequest(to: delegate).ask(
      plain: { answer in delegate.urlSession(session, task: task, willBeginDelayedRequest: request) { answer(($0, $1)) } },
      async: { await delegate.urlSession(session, task: task, willBeginDelayedRequest: request) },
      receiver: receiver)
  }

  func taskIsWaitingForConnectivity(_ session: URLSession, _ task: URLSessionTask) -> Bool {
    tell(.taskIsWaitingForConnectivity, self.task) { $0.urlSession(session, taskIsWaitingForConnectivity: task) }
  }

  func willPerformHTTPRedirection(
    _ session: URLSession, _ task: URLSessionTask, _ response: HTTPURLResponse, newRequest: URLRequest,
    _ receiver: @escaping @Sendable (DelegateAnswer<URLRequest?>) -> Void
  ) {
    guard let delegate = self.task else { return receiver(.notImplemented) }
    DelegateQuestion.redirection(to: delegate, proposed: newRequest).ask(
      plain: { answer in
        delegate.urlSession(
          session, task: task, willPerformHTTPRedirection: response, newRequest: newRequest, completionHandler: answer)
      },
      async: { await delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: newRequest) },
      receiver: receiver)
  }

  func didReceiveTaskChallenge(
    _ session: URLSession, _ task: URLSessionTask, _ challenge: URLAuthenticationChallenge,
    _ receiver: @escaping @Sendable (DelegateAnswer<(URLSession.AuthChallengeDisposition, URLCredential?)>) -> Void
  ) {
    guard let delegate = self.task else { return receiver(.notImplemented) }
    let transferred = Transferred(challenge)
    DelegateQuestion.taskChallenge(to: delegate).ask(
      plain: { answer in delegate.urlSession(session, task: task, didReceive: challenge) { answer(($0, $1)) } },
      async: { await delegate.urlSession(session, task: task, didReceive: transferred.value) },
      receiver: receiver)
  }

  func needNewBodyStream(
    _ session: URLSession, _ task: URLSessionTask, _ receiver: @escaping @Sendable (DelegateAnswer<InputStream?>) -> Void
  ) {
    guard let delegate = self.task else { return receiver(.notImplemented) }
    DelegateQuestion.bodyStream(to: delegate).ask(
      plain: { answer in delegate.urlSession(session, task: task, needNewBodyStream: answer) },
      async: { await delegate.urlSession(session, needNewBodyStreamForTask: task) },
      receiver: receiver)
  }

  func needNewBodyStream(
    _ session: URLSession, _ task: URLSessionTask, from offset: Int64,
    _ receiver: @escaping @Sendable (DelegateAnswer<InputStream?>) -> Void
  ) {
    guard let delegate = self.task else { return receiver(.notImplemented) }
    DelegateQuestion.bodyStreamFromOffset(to: delegate).ask(
      plain: { answer in
        delegate.urlSession(session, task: task, needNewBodyStreamFrom: offset, completionHandler: answer)
      },
      async: { await delegate.urlSession(session, needNewBodyStreamForTask: task, from: offset) },
      receiver: receiver)
  }

  func didSendBodyData(_ session: URLSession, _ task: URLSessionTask, bytes: Int64, total: Int64, expected: Int64) -> Bool {
    tell(.didSendBodyData, self.task) {
      $0.urlSession(
        session, task: task, didSendBodyData: bytes, totalBytesSent: total, totalBytesExpectedToSend: expected)
    }
  }

  func didReceiveInformationalResponse(_ session: URLSession, _ task: URLSessionTask, _ response: HTTPURLResponse) -> Bool {
    tell(.didReceiveInformationalResponse, self.task) {
      $0.urlSession(session, task: task, didReceiveInformationalResponse: response)
    }
  }

  func didFinishCollecting(_ session: URLSession, _ task: URLSessionTask, _ metrics: URLSessionTaskMetrics) -> Bool {
    tell(.didFinishCollectingMetrics, self.task) { $0.urlSession(session, task: task, didFinishCollecting: metrics) }
  }

  func didComplete(_ session: URLSession, _ task: URLSessionTask, _ error: (any Error)?) -> Bool {
    tell(.didComplete, self.task) { $0.urlSession(session, task: task, didCompleteWithError: error) }
  }
}
