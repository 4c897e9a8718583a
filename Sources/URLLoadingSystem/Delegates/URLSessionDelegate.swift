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

  /// The `async` form of the session-level challenge method, `urlSession(_:didReceive:completionHandler:)`.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// All events of a background session that happened before the app attached to it have been delivered. By default nothing happens.
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    DelegateProbe.noteDefault(self, .didBecomeInvalid)
  }

  /// Default implementation: calls the `async` form of this method, if the class implements that; otherwise asks for default handling.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let challenge = Transferred(challenge)
    DelegateQuestion.sessionChallenge(to: self).answerFromDefault(
      async: { await self.urlSession(session, didReceive: challenge.value) },
      completion: { completionHandler($0.0, $0.1) })
  }

  /// Default implementation: calls the form of this method with a completion handler, if the class implements that; otherwise asks for default
  /// handling.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    await DelegateQuestion.sessionChallenge(to: self).answerFromAsyncDefault { answer in
      self.urlSession(session, didReceive: challenge) { answer(($0, $1)) }
    }
  }

  /// Default implementation: does nothing.
  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    DelegateProbe.noteDefault(self, .didFinishEvents)
  }
}
