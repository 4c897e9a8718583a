import Foundation

extension URLSession {
  /// Makes optional calls of `URLSessionTaskDelegate`'s methods compile: `delegate?.urlSession?(session, task: task, …)`.
  ///
  /// A call does what the method does. It returns `nil` if the delegate doesn't implement the method; then a completion handler isn't called.
  public struct TaskDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, didCreateTask task: URLSessionTask) -> Void? {
      messages.didCreateTask(session, task) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) -> Void? {
      messages.willBeginDelayedRequest(session, task, request) { $0.pass { completionHandler($0.0, $0.1) } }
      return messages.outcome(of: .willBeginDelayedRequest)
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)? {
      await messages.answer { messages.willBeginDelayedRequest(session, task, request, $0) }
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) -> Void? {
      messages.taskIsWaitingForConnectivity(session, task) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) -> Void? {
      messages.willPerformHTTPRedirection(session, task, response, newRequest: request) { $0.pass(to: completionHandler) }
      return messages.outcome(of: .willPerformHTTPRedirection)
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it, or if it answers `nil`.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? {
      await messages.answer { messages.willPerformHTTPRedirection(session, task, response, newRequest: request, $0) } ?? nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) -> Void? {
      messages.didReceiveTaskChallenge(session, task, challenge) { $0.pass { completionHandler($0.0, $0.1) } }
      return messages.outcome(of: .didReceiveTaskChallenge)
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
      await messages.answer { messages.didReceiveTaskChallenge(session, task, challenge, $0) }
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) -> Void? {
      messages.needNewBodyStream(session, task) { $0.pass(to: completionHandler) }
      return messages.outcome(of: .needNewBodyStream)
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it, or if it answers `nil`.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream? {
      await messages.answer { messages.needNewBodyStream(session, task, $0) } ?? nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
      completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) -> Void? {
      messages.needNewBodyStream(session, task, from: offset) { $0.pass(to: completionHandler) }
      return messages.outcome(of: .needNewBodyStreamFromOffset)
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it, or if it answers `nil`.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
    ) async -> InputStream? {
      await messages.answer { messages.needNewBodyStream(session, task, from: offset, $0) } ?? nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64
    ) -> Void? {
      messages.didSendBodyData(session, task, bytes: bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
    ) -> Void? {
      messages.didReceiveInformationalResponse(session, task, response) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) -> Void? {
      messages.didFinishCollecting(session, task, metrics) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) -> Void? {
      messages.didComplete(session, task, error) ? () : nil
    }
  }
}

extension URLSessionTaskDelegate {
  /// Makes `delegate.urlSession?(…)` compile, the call of an optional method as on Apple's platforms; never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.TaskDelegateCalls? { URLSession.TaskDelegateCalls(messages: DelegateMessages(self)) }
}
