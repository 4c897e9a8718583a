import Foundation

extension URLSession {
  /// Makes optional calls of `URLSessionWebSocketDelegate`'s methods compile: `delegate?.urlSession?(session, webSocketTask: task, …)`.
  ///
  /// A call does what the method does. It returns `nil` if the delegate doesn't implement the method.
  public struct WebSocketDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
    ) -> Void? {
      messages.didOpen(session, webSocketTask, protocol: `protocol`) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
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
  /// Makes `delegate.urlSession?(…)` compile, the call of an optional method as on Apple's platforms; never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.WebSocketDelegateCalls? { URLSession.WebSocketDelegateCalls(messages: DelegateMessages(self)) }
}
