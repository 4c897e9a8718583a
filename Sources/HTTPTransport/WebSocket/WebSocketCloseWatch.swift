/// Limits the time for sending the app's close frame and the messages before it. A value of the session, which checks it every `timeout` seconds.
///
/// Messages may take as long as the peer keeps reading. Once all bytes have been sent, the close frame included, the peer has one whole interval
/// for its answer, and up to `longestAnswer` more while the app receives messages that the peer sends before it.
struct WebSocketCloseWatch {
  /// The interval in seconds: the peer must read some bytes in each, and answer within one after the close frame has been sent.
  static let timeout = 5.0
  /// The most intervals in which the peer may send messages instead of its close frame.
  static let longestAnswer = 6
  /// Seconds within which the peer must close the connection after it has sent its close frame.
  static let drainTimeout = 2.0

  /// Bytes that hadn't been sent at the last check.
  private var left: Int
  /// The number of messages that the app had received at the last check.
  private var received: Int
  /// The number of intervals granted so far to a peer that sent messages.
  private var answers = 0

  init(left: Int, received: Int) { (self.left, self.received) = (left, received) }

  /// Updates the number of unsent bytes before the first interval begins.
  mutating func note(left: Int) { self.left = left }

  /// Whether, in the interval that has passed, the peer has read nothing of what is to be sent, and the app has received no message from it.
  mutating func isSilent(left leftNow: Int, received receivedNow: Int) -> Bool {
    defer { (left, received) = (leftNow, receivedNow) }
    if leftNow < left { return false }
    guard receivedNow > received, answers < WebSocketCloseWatch.longestAnswer else { return true }
    answers += 1
    return false
  }
}
