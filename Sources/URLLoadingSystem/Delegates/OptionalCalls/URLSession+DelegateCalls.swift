import Foundation

extension URLSession {
  /// The optional-call spelling of `URLSessionDelegate`'s methods: `delegate?.urlSession?(session, …)`.
  ///
  /// Apple declares the methods optional, so that code calls them with a question mark. A call does what the method does and returns `nil`
  /// if the delegate does not implement it; a completion handler is not called then.
  public struct DelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) -> Void? {
      messages.didBecomeInvalid(session, error) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) -> Void? {
      messages.didReceiveSessionChallenge(session, challenge) { $0.pass { completionHandler($0.0, $0.1) } }
      return messages.outcome(of: .didReceiveSessionChallenge)
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
      await messages.answer { messages.didReceiveSessionChallenge(session, challenge, $0) }
    }
  }
}

extension URLSession {
  /// The optional-call spelling `delegate?.urlSessionDidFinishEvents?(forBackgroundURLSession: session)`.
  public struct FinishEventsCall: Sendable {
    let messages: DelegateMessages

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(forBackgroundURLSession session: URLSession) -> Void? {
      messages.didFinishEvents(session) ? () : nil
    }
  }
}

extension URLSessionDelegate {
  /// The delegate's methods to be called with a question mark. Never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.DelegateCalls? { URLSession.DelegateCalls(messages: DelegateMessages(self)) }

  /// The delegate's method to be called with a question mark. Never `nil`.
  @_disfavoredOverload
  public var urlSessionDidFinishEvents: URLSession.FinishEventsCall? {
    URLSession.FinishEventsCall(messages: DelegateMessages(self))
  }
}

extension DelegateMessages {
  /// What an optional call of the method returns, once made.
  func outcome(of method: DelegateMethod) -> Void? {
    mayImplement(method) ? () : nil
  }

  /// The delegate's answer to a question; `nil` if it does not implement the method.
  nonisolated(nonsending) func answer<Value>(
    _ ask: (@escaping @Sendable (DelegateAnswer<Value>) -> Void) -> Void
  ) async -> Value? {
    let answer: Transferred<Value?> = await withUnsafeContinuation { continuation in
      ask { answer in
        switch answer {
        case .answered(let value): continuation.resume(returning: Transferred(value))
        case .notImplemented: continuation.resume(returning: Transferred(nil))
        }
      }
    }
    return answer.value
  }
}

extension DelegateAnswer {
  /// Hands the answer on, if there is one.
  func pass(to completion: (Value) -> Void) {
    if case .answered(let value) = self { completion(value) }
  }
}
