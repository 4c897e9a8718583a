import Foundation

/// Messages about a session as a whole.
///
/// As Apple documents, every method is optional: implement any subset, a method with a completion handler in either its handler or its
/// `async` spelling. All messages arrive on the session's `delegateQueue`.
@preconcurrency
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
  /// The session was invalidated and its last task is done; no further message follows. By default nothing happens.
  ///
  /// - Parameter error: `nil` if the app invalidated the session itself.
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// The session needs an answer to a connection-level challenge: server trust, client certificate, NTLM or Negotiate.
  ///
  /// Without this method the task-level method is asked, and without that the system's default handling applies.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The `async` spelling of the method with a completion handler.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// All messages enqueued for a background session have been delivered. By default nothing happens.
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    DelegateProbe.noteDefault(self, .didBecomeInvalid)
  }

  /// Answers through the `async` spelling if the class implements it, else asks for default handling.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let challenge = Transferred(challenge)
    DelegateQuestion.sessionChallenge(to: self).answerFromDefault(
      async: { await self.urlSession(session, didReceive: challenge.value) },
      completion: { completionHandler($0.0, $0.1) })
  }

  /// Answers through the completion handler spelling if the class implements it, else asks for default handling.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    await DelegateQuestion.sessionChallenge(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, didReceive: challenge) { answer(($0, $1)) }
    }
  }

  /// Does nothing.
  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    DelegateProbe.noteDefault(self, .didFinishEvents)
  }
}
