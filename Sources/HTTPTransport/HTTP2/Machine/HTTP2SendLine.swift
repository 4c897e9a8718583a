import NIOCore

/// The streams of a connection that have data to send, served round-robin, and the connection's send window (RFC 9113, 5.2).
///
/// A stream is in the line at most once; while its own window is exhausted it isn't in the line. A value of the connection's machine.
struct HTTP2SendLine {
  /// The bytes that the peer's window for the whole connection still allows to be sent.
  private(set) var window = 65535
  private var streams = CircularBuffer<HTTP2Stream>(initialCapacity: 2)

  mutating func queue(_ stream: HTTP2Stream) {
    guard case .none = stream.turn else { return }
    stream.turn = .queued
    streams.append(stream)
  }

  /// The stream's own window is exhausted: it waits for a WINDOW_UPDATE outside the line.
  func block(_ stream: HTTP2Stream) { stream.turn = .blocked }

  /// The stream's window may have been widened: returns it to the line if it has been.
  mutating func unblock(_ stream: HTTP2Stream) {
    guard case .blocked = stream.turn, stream.sendWindow > 0 else { return }
    stream.turn = .none
    queue(stream)
  }

  /// Whether a stream could send something now.
  var isReady: Bool {
    // A frame without bytes (END_STREAM alone) needs no window.
    window > 0 ? !streams.isEmpty : streams.contains { $0.pending.readableBytes == 0 }
  }

  /// Removes and returns the next stream to send. If the connection's window is exhausted, the first stream that needs no window.
  mutating func next() -> HTTP2Stream? {
    let next =
      if window > 0 { streams.popFirst() } else {
        streams.firstIndex { $0.pending.readableBytes == 0 || !$0.isOpen }.map { streams.remove(at: $0) }
      }
    next?.turn = .none
    return next
  }

  /// `bytes` of the stream have been sent: reduces both windows.
  mutating func count(_ bytes: Int, of stream: HTTP2Stream) {
    stream.sendWindow -= bytes
    window -= bytes
  }

  /// Applies a WINDOW_UPDATE for the connection (6.9).
  mutating func widen(by increment: Int) throws(HTTP2ConnectionError) {
    guard increment > 0 else { throw HTTP2ConnectionError(.protocolError, "it widens a window by nothing") }
    window += increment
    guard window <= PeerSettings.largestWindow else {
      throw HTTP2ConnectionError(.flowControlError, "the connection's window is too large")
    }
  }

  mutating func removeAll() { streams.removeAll() }
}
