import Foundation

/// Calls the methods of one delegate object, and finds out which ones it implements.
///
/// Made once per delegate by its session or task; immutable and thread-safe, though methods are called on the delegate queue only. The call of a
/// method without an answer returns whether the delegate implements it. The call of one with an answer gives its receiver the answer, on any thread
/// and at most once, or `.notImplemented` before it returns.
final class DelegateMessages: Sendable {
  let delegate: any URLSessionDelegate
  let traits: DelegateTraits
  let task: (any URLSessionTaskDelegate)?
  let data: (any URLSessionDataDelegate)?
  let download: (any URLSessionDownloadDelegate)?
  let stream: (any URLSessionStreamDelegate)?
  let webSocket: (any URLSessionWebSocketDelegate)?

  init(_ delegate: any URLSessionDelegate) {
    let traits = DelegateTraits.of(delegate)
    self.delegate = delegate
    self.traits = traits
    task = delegate as? any URLSessionTaskDelegate
    data = traits.mayImplementAny(.didReceiveResponse, through: .willCacheResponse) ? delegate as? any URLSessionDataDelegate : nil
    download =
      traits.mayImplementAny(.didFinishDownloading, through: .didResumeDownload)
      ? delegate as? any URLSessionDownloadDelegate : nil
    stream = traits.mayImplementAny(.readClosed, through: .didBecomeStreams) ? delegate as? any URLSessionStreamDelegate : nil
    webSocket =
      traits.mayImplementAny(.didOpenWebSocket, through: .didCloseWebSocket) ? delegate as? any URLSessionWebSocketDelegate : nil
  }

  /// Whether the delegate may implement the method; false only if it is known that it doesn't.
  func mayImplement(_ method: DelegateMethod) -> Bool { !traits.isAbsent(method) }

  /// Calls a method without an answer, and returns whether the delegate implements it. Once that is known of its class, an absent method costs a bit
  /// test.
  func tell<Receiver>(_ method: DelegateMethod, _ receiver: Receiver?, _ call: (Receiver) -> Void) -> Bool {
    let spelling = traits.spelling(of: method)
    guard spelling != .absent, let receiver else { return false }
    if spelling == .plain {
      call(receiver)
      return true
    }
    let isDefault = DelegateProbe.reachesDefault(delegate, method) { call(receiver) }
    traits.learn(method, isDefault ? .absent : .plain)
    return !isDefault
  }
}

// MARK: - Session

extension DelegateMessages {
  func didBecomeInvalid(_ session: URLSession, _ error: (any Error)?) -> Bool {
    tell(.didBecomeInvalid, delegate) { $0.urlSession(session, didBecomeInvalidWithError: error) }
  }

  func didReceiveSessionChallenge(
    _ session: URLSession, _ challenge: URLAuthenticationChallenge,
    _ receiver: @escaping @Sendable (DelegateAnswer<(URLSession.AuthChallengeDisposition, URLCredential?)>) -> Void
  ) {
    let (delegate, transferred) = (delegate, Transferred(challenge))
    DelegateQuestion.sessionChallenge(to: delegate).ask(
      plain: { answer in delegate.urlSession(session, didReceive: challenge) { answer(($0, $1)) } },
      async: { await delegate.urlSession(session, didReceive: transferred.value) },
      receiver: receiver)
  }

  func didFinishEvents(_ session: URLSession) -> Bool {
    tell(.didFinishEvents, delegate) { $0.urlSessionDidFinishEvents(forBackgroundURLSession: session) }
  }
}
