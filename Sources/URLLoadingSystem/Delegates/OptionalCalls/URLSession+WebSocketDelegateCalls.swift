import Foundation

extension URLSession {
  /// The optional-call spelling of `URLSessionWebSocketDelegate`'s methods: `delegate?.urlSession?(session, webSocketTask: task, …)`.
  ///
  /// A call does what the method does and returns `nil` if the delegate does not implement it.
  public struct WebSocketDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
    ) -> Void? {
      messages.didOpen(session, webSocketTask, protocol: `protocol`) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
      reason: Data?
    ) -> Void? {
      messages.didClose(session, webSocketTask, closeCode, reason: reason) ? () : nil
    }
  }
}

extension URLSessionWebSocketDelegate {
  /// The delegate's methods to be called with a question mark. Never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.WebSocketDelegateCalls? { URLSession.WebSocketDelegateCalls(messages: DelegateMessages(self)) }
}
