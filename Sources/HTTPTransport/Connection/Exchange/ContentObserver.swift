import LoadingModel
import NIOCore
import ProtocolRules

/// Is told what one load carries: bodies both ways, messages, informational responses and what its cache decided.
///
/// Beside the load's `LoadObserver`, because only a recorder of contents pays for a call per piece: logs and metrics don't. A load without
/// one pays a comparison with nil at each of these places. Called on the load's event loop.
package protocol ContentObserver: AnyObject, Sendable {
  /// A piece of the request's body is handed to the connection.
  func sent(body: ByteBuffer)
  /// A piece of the body that the app is given, without content codings.
  func received(body: ByteBuffer)
  /// A piece of a response's body has come, with its content codings.
  func received(encoded body: ByteBuffer)
  func received(informational head: ResponseHead)
  /// A message of a WebSocket has come whole, or is on its way to the socket.
  func exchanged(_ message: ObservedMessage)
}

extension ContentObserver {
  package func received(encoded body: ByteBuffer) {}
}

/// A message of a WebSocket.
package struct ObservedMessage: Sendable {
  package let isSent: Bool
  package let isText: Bool
  package let bytes: ByteBuffer
}
