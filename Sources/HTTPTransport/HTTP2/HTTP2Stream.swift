import LoadingModel
import NIOCore
import ProtocolRules

/// A stream of an HTTP/2 connection (RFC 9113, 5.1): one request and its response. Owned by the connection's machine; confined to the event loop.
final class HTTP2Stream: NumberedStream {
  // `@exclusivity(unchecked)`: the event loop excludes accesses by other threads, and no call that modifies one of these properties
  // accesses it again before it returns; the check would cost a call of the runtime at each access.
  enum Response {
    case awaitingHead
    case body
  }

  /// The state of sending the request's body.
  enum Sending: Equatable {
    /// The load may add more bytes to `pending`.
    case open
    /// The body is complete: END_STREAM is sent with the last bytes of `pending`.
    case ending
    case ended
  }

  /// The stream's state in the connection's line of streams that have data to send (`HTTP2SendLine`).
  enum Turn {
    case none
    case queued
    /// Waits for the peer to widen the stream's window.
    case blocked
  }

  let id: Int32
  /// nil only in tests of the machine.
  let exchange: Exchange?
  let method: String
  /// Whether the request is a CONNECT: after a 2xx, both sides send bytes of another protocol (RFC 9113, 8.5).
  let isTunnel: Bool
  /// Whether it is still in its connection's table.
  @exclusivity(unchecked) var isOpen = true
  @exclusivity(unchecked) var response = Response.awaitingHead
  /// Bytes of the response's body that are missing according to its Content-Length; nil if it has none (RFC 9113, 8.1.1).
  @exclusivity(unchecked) var lengthLeft: Int64?
  /// The response's trailer fields; nil until they have arrived.
  @exclusivity(unchecked) var trailers: HeaderFields?

  // Receiving.
  /// The number of bytes that the peer may still send now (the receive window).
  @exclusivity(unchecked) var window: Int
  /// What it may send at most without a WINDOW_UPDATE.
  @exclusivity(unchecked) var windowSize: Int
  /// Bytes that have been received and not yet been returned to the window by a WINDOW_UPDATE.
  @exclusivity(unchecked) var uncredited = 0
  /// The time of the last WINDOW_UPDATE, or of the stream's start, in nanoseconds.
  @exclusivity(unchecked) var creditedAt: UInt64

  // State of sending.
  @exclusivity(unchecked) var sendWindow: Int
  @exclusivity(unchecked) var pending = ByteBuffer()
  /// Where its last DATA frame ends in the connection's output (`HTTP2Machine.outputEnd`).
  @exclusivity(unchecked) var outputEnd = 0
  @exclusivity(unchecked) var sending = Sending.open
  @exclusivity(unchecked) var turn = Turn.none
  /// Bytes of the request's body that are still to be handed in, according to its Content-Length; nil if it has none.
  @exclusivity(unchecked) var requestLeft: Int64?
  /// The request's trailer fields, which follow its body.
  @exclusivity(unchecked) var requestTrailers = HeaderFields()
  /// Whether the producer of the request's body waits for `becameWritable`.
  @exclusivity(unchecked) var isProducerWaiting = false

  init(id: Int32, exchange: Exchange?, method: String, window: Int, sendWindow: Int, now: UInt64) {
    self.id = id
    self.exchange = exchange
    self.method = method
    isTunnel = method == "CONNECT"
    self.window = window
    windowSize = window
    self.sendWindow = sendWindow
    creditedAt = now
  }

  /// The error of an exchange whose stream the server has reset with `code` (RFC 9113, 8.7 and 7).
  func error(of code: HTTP2ErrorCode) -> LoadError {
    switch response {
    case .awaitingHead:
      var error = LoadError(.networkConnectionLost, .head, "the server refused to answer the request (\(code))")
      if code == .refusedStream { error.resendReason = .refused }
      if code == .http11Required { error.resendReason = .needsHTTP1 }
      return error
    case .body: return LoadError(.networkConnectionLost, .body, "the server broke off the response before its body was complete (\(code))")
    }
  }
}
