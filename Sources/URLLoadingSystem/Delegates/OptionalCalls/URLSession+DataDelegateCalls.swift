import Foundation

extension URLSession {
  /// The optional-call spelling of `URLSessionDataDelegate`'s methods: `delegate?.urlSession?(session, dataTask: task, …)`.
  ///
  /// A call does what the method does and returns `nil` if the delegate does not implement it; a completion handler is not called then.
  public struct DataDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) -> Void? {
      messages.didReceiveResponse(session, dataTask, response) { $0.pass(to: completionHandler) }
      return messages.outcome(of: .didReceiveResponse)
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition? {
      await messages.answer { messages.didReceiveResponse(session, dataTask, response, $0) }
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) -> Void? {
      messages.didBecome(session, dataTask, downloadTask) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask
    ) -> Void? {
      messages.didBecome(session, dataTask, streamTask) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) -> Void? {
      messages.didReceiveData(session, dataTask, data) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) -> Void? {
      messages.willCacheResponse(session, dataTask, proposedResponse) { $0.pass(to: completionHandler) }
      return messages.outcome(of: .willCacheResponse)
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it or answers so.
    public nonisolated(nonsending) func callAsFunction(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
      await messages.answer { messages.willCacheResponse(session, dataTask, proposedResponse, $0) } ?? nil
    }
  }
}

extension URLSessionDataDelegate {
  /// The delegate's methods to be called with a question mark. Never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.DataDelegateCalls? { URLSession.DataDelegateCalls(messages: DelegateMessages(self)) }
}
