import NIOCore

/// The streams of a connection with something to send, fairly one after the other, under the window that all share (RFC 9113, 5.2).
///
/// A stream is in line once, or blocked by its own window and in none. A value of the connection's machine.
struct HTTP2SendLine {
  /// What the peer allows for all streams together.
  private(set) var window = 65535
  private var streams = CircularBuffer<HTTP2Stream>(initialCapacity: 2)

  mutating func queue(_ stream: HTTP2Stream) {
    guard case .none = stream.turn else { return }
    stream.turn = .queued
    streams.append(stream)
  }

  /// The stream waits until its own window is wider.
  func block(_ stream: HTTP2Stream) { stream.turn = .blocked }

  /// The stream's window may be wider.
  mutating func unblock(_ stream: HTTP2Stream) {
    guard case .blocked = stream.turn, stream.sendWindow > 0 else { return }
    stream.turn = .none
    queue(stream)
  }

  /// Whether something could be sent at once.
  var isReady: Bool {
    // An end without bytes needs no window.
    window > 0 ? !streams.isEmpty : streams.contains { $0.pending.readableBytes == 0 }
  }

  /// The stream that sends next, taken out of the line; without a window, the first that needs none.
  mutating func next() -> HTTP2Stream? {
    let next =
      if window > 0 { streams.popFirst() } else {
        streams.firstIndex { $0.pending.readableBytes == 0 || !$0.isOpen }.map { streams.remove(at: $0) }
      }
    next?.turn = .none
    return next
  }

  /// So many bytes of a stream are sent.
  mutating func count(_ bytes: Int, of stream: HTTP2Stream) {
    stream.sendWindow -= bytes
    window -= bytes
  }

  /// 6.9.
  mutating func widen(by increment: Int) throws(HTTP2ConnectionError) {
    guard increment > 0 else { throw HTTP2ConnectionError(.protocolError, "it widens a window by nothing") }
    window += increment
    guard window <= PeerSettings.largestWindow else {
      throw HTTP2ConnectionError(.flowControlError, "the connection's window is too large")
    }
  }

  mutating func removeAll() { streams.removeAll() }
}
