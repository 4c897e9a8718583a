import LoadingModel
import NIOCore
import ProtocolRules

/// One stream: a request and its response (RFC 9113, 5.1). Belongs to its connection's machine; confined to the event loop.
final class HTTP2Stream {
  // `@exclusivity(unchecked)`: the event loop excludes accesses by other threads, and no call that modifies one of these properties
  // accesses it again before it returns; the check would cost a call of the runtime at each access.
  enum Response {
    case awaitingHead
    case body
  }

  /// How far the request's body has come.
  enum Sending: Equatable {
    /// More may come.
    case open
    /// What is pending is all that is left.
    case ending
    case ended
  }

  /// A place in the line of those that want to send.
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
  /// Whether bytes of another protocol are sent both ways once the server has agreed (RFC 9113, 8.5).
  let isTunnel: Bool
  /// Whether it is still in its connection's table.
  @exclusivity(unchecked) var isOpen = true
  @exclusivity(unchecked) var response = Response.awaitingHead
  /// Bytes of body that Content-Length still promises; nil where nothing is promised (RFC 9113, 8.1.1).
  @exclusivity(unchecked) var lengthLeft: Int64?
  /// The fields behind the response's body.
  @exclusivity(unchecked) var trailers: HeaderFields?

  // Receiving.
  /// What the peer may still send.
  @exclusivity(unchecked) var window: Int
  /// What it may send at most without a WINDOW_UPDATE.
  @exclusivity(unchecked) var windowSize: Int
  /// Received, and not yet allowed again.
  @exclusivity(unchecked) var uncredited = 0
  /// When it was last credited, in nanoseconds.
  @exclusivity(unchecked) var creditedAt: UInt64

  // Sending.
  @exclusivity(unchecked) var sendWindow: Int
  @exclusivity(unchecked) var pending = ByteBuffer()
  @exclusivity(unchecked) var sending = Sending.open
  @exclusivity(unchecked) var turn = Turn.none
  /// Bytes of request body still to come, by its Content-Length; nil if unknown.
  @exclusivity(unchecked) var requestLeft: Int64?
  /// The fields behind the request's body.
  @exclusivity(unchecked) var requestTrailers = HeaderFields()
  /// Whether the producer waits to hear that it can continue.
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

  /// Why it has ended, where the server has reset it (RFC 9113, 8.7 and 7).
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
