import Foundation

extension URLSession {
  /// The optional-call spelling of `URLSessionStreamDelegate`'s methods: `delegate?.urlSession?(session, readClosedFor: task)`.
  ///
  /// A call does what the method does and returns `nil` if the delegate does not implement it.
  public struct StreamDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) -> Void? {
      messages.readClosed(session, streamTask) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) -> Void? {
      messages.writeClosed(session, streamTask) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask) -> Void? {
      messages.betterRouteDiscovered(session, streamTask) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream, outputStream: OutputStream
    ) -> Void? {
      messages.didBecome(session, streamTask, inputStream, outputStream) ? () : nil
    }
  }
}

extension URLSessionStreamDelegate {
  /// The delegate's methods to be called with a question mark. Never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.StreamDelegateCalls? { URLSession.StreamDelegateCalls(messages: DelegateMessages(self)) }
}
