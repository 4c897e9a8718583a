import Foundation

extension URLSession {
  /// Makes optional calls of `URLSessionDelegate`'s methods compile: `delegate?.urlSession?(session, …)`.
  ///
  /// Apple declares the methods optional, so that code calls them with a question mark. A call does what the method does. It returns `nil` if the
  /// delegate doesn't implement the method; then a completion handler isn't called.
  public struct DelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) -> Void? {
      messages.didBecomeInvalid(session, error) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) -> Void? {
      messages.didReceiveSessionChallenge(session, challenge) { $0.pass { completionHandler($0.0, $0.1) } }
      return messages.outcome(of: .didReceiveSessionChallenge)
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
      await messages.answer { messages.didReceiveSessionChallenge(session, challenge, $0) }
    }
  }
}

extension URLSession {
  /// Makes the optional call `delegate?.urlSessionDidFinishEvents?(forBackgroundURLSession: session)` compile.
  public struct FinishEventsCall: Sendable {
    let messages: DelegateMessages

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(forBackgroundURLSession session: URLSession) -> Void? {
      messages.didFinishEvents(session) ? () : nil
    }
  }
}

extension URLSessionDelegate {
  /// Makes `delegate.urlSession?(…)` compile, the call of an optional method as on Apple's platforms; never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.DelegateCalls? { URLSession.DelegateCalls(messages: DelegateMessages(self)) }

  /// Makes `delegate.urlSessionDidFinishEvents?(…)` compile, the call of an optional method as on Apple's platforms; never `nil`.
  @_disfavoredOverload
  public var urlSessionDidFinishEvents: URLSession.FinishEventsCall? {
    URLSession.FinishEventsCall(messages: DelegateMessages(self))
  }
}

extension DelegateMessages {
  /// The result of an optional call that has been made: `nil` if the delegate doesn't implement the method.
  func outcome(of method: DelegateMethod) -> Void? {
    mayImplement(method) ? () : nil
  }

  /// Asks the delegate and waits for its answer; `nil` if it doesn't implement the method.
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
  /// Calls `completion` with the answer; does nothing if the method isn't implemented.
  func pass(to completion: (Value) -> Void) {
    if case .answered(let value) = self { completion(value) }
  }
}
