import Foundation

extension URLSession {
  /// Makes optional calls of `URLSessionDataDelegate`'s methods compile: `delegate?.urlSession?(session, dataTask: task, …)`.
  ///
  /// A call does what the method does. It returns `nil` if the delegate doesn't implement the method; then a completion handler isn't called.
  public struct DataDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) -> Void? {
      messages.didReceiveResponse(session, dataTask, response) { $0.pass(to: completionHandler) }
      return messages.outcome(of: .didReceiveResponse)
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition? {
      await messages.answer { messages.didReceiveResponse(session, dataTask, response, $0) }
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) -> Void? {
      messages.didBecome(session, dataTask, downloadTask) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask
    ) -> Void? {
      messages.didBecome(session, dataTask, streamTask) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) -> Void? {
      messages.didReceiveData(session, dataTask, data) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) -> Void? {
      messages.willCacheResponse(session, dataTask, proposedResponse) { $0.pass(to: completionHandler) }
      return messages.outcome(of: .willCacheResponse)
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it, or if it answers `nil`.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
      await messages.answer { messages.willCacheResponse(session, dataTask, proposedResponse, $0) } ?? nil
    }
  }
}

extension URLSessionDataDelegate {
  /// Makes `delegate.urlSession?(…)` compile, the call of an optional method as on Apple's platforms; never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.DataDelegateCalls? { URLSession.DataDelegateCalls(messages: DelegateMessages(self)) }
}
