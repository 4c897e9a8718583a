import LoadingModel
import NIOCore
import ProtocolRules

/// Observes the contents of one load: bodies in both directions, WebSocket messages and informational responses.
///
/// Separate from `LoadObserver`, as only a recorder of contents needs a call for each piece of body; logs and metrics don't. A load without an
/// observer pays a comparison with nil at each of these places. Called on the load's event loop.
package protocol ContentObserver: AnyObject, Sendable {
  /// A piece of the request's body is handed to the connection.
  func sent(body: ByteBuffer)
  /// A piece of the body that the app is given, without content codings.
  func received(body: ByteBuffer)
  /// A piece of a response's body has come, with its content codings.
  func received(encoded body: ByteBuffer)
  func received(informational head: ResponseHead)
  /// A WebSocket message has been received completely, or is being sent.
  func exchanged(_ message: ObservedMessage)
}

extension ContentObserver {
  package func received(encoded body: ByteBuffer) {}
}

/// A WebSocket message as an observer sees it.
package struct ObservedMessage: Sendable {
  package let isSent: Bool
  package let isText: Bool
  package let bytes: ByteBuffer
}
