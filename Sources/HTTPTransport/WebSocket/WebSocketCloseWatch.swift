/// Decides whether a peer has fallen silent after the app asked for the end of a WebSocket. The session asks it every `timeout` seconds.
///
/// Messages of this side may take as long as they need while the peer reads them. The close frame has left when none of them is left, and the
/// peer then has one whole span for its own close frame, and more spans while the app goes on receiving messages that the peer sends before it.
struct WebSocketCloseWatch {
  /// The length of a span, in seconds.
  static let timeout = 5.0
  /// The number of spans in which the peer may send messages instead of its close frame.
  static let longestAnswer = 6
  /// Seconds that the peer has for the end of the connection once it has sent its close frame.
  static let drainTimeout = 2.0

  /// Bytes of messages that hadn't left at the beginning of the span.
  private var left: Int
  /// The number of messages that the app had received from the peer at the beginning of the span.
  private var received: Int
  /// The number of spans that have been granted to a peer because it sent messages.
  private var answers = 0

  init(left: Int, received: Int) { (self.left, self.received) = (left, received) }

  /// Sets the bytes that are left when the span begins, without those that the socket has taken at once.
  mutating func note(left: Int) { self.left = left }

  /// Whether, in the span that has passed, the peer has read nothing of what waits for it, and the app has received nothing from the peer.
  mutating func isSilent(left leftNow: Int, received receivedNow: Int) -> Bool {
    defer { (left, received) = (leftNow, receivedNow) }
    if leftNow < left { return false }
    guard receivedNow > received, answers < WebSocketCloseWatch.longestAnswer else { return true }
    answers += 1
    return false
  }
}
