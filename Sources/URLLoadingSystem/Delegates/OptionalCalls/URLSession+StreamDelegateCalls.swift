import Foundation

extension URLSession {
  /// Makes optional calls of `URLSessionStreamDelegate`'s methods compile: `delegate?.urlSession?(session, readClosedFor: task)`.
  ///
  /// A call does what the method does. It returns `nil` if the delegate doesn't implement the method.
  public struct StreamDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) -> Void? {
      messages.readClosed(session, streamTask) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) -> Void? {
      messages.writeClosed(session, streamTask) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask) -> Void? {
      messages.betterRouteDiscovered(session, streamTask) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream, outputStream: OutputStream
    ) -> Void? {
      messages.didBecome(session, streamTask, inputStream, outputStream) ? () : nil
    }
  }
}

extension URLSessionStreamDelegate {
  /// Makes `delegate.urlSession?(…)` compile, the call of an optional method as on Apple's platforms; never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.StreamDelegateCalls? { URLSession.StreamDelegateCalls(messages: DelegateMessages(self)) }
}
