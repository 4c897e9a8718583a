import Foundation

/// Messages of WebSocket tasks.
@preconcurrency
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
  /// The handshake succeeded. `protocol` is the subprotocol agreed on, if any.
  func urlSession(_ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?)

  /// The peer sent a close frame.
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
    reason: Data?)
}

extension URLSessionWebSocketDelegate {
  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?) {
    DelegateProbe.noteDefault(self, .didOpenWebSocket)
  }

  /// Default implementation: does nothing.
  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
    reason: Data?
  ) {
    DelegateProbe.noteDefault(self, .didCloseWebSocket)
  }
}
