/// How long the app's close frame, and the messages before it, may take. A value of the session, which looks every `timeout` seconds.
///
/// Messages may take as long as they need while the peer reads. The close frame has left when none of them is left; the peer has one whole
/// span from then on.
struct WebSocketCloseWatch {
  /// Seconds that the peer has for its close frame once the app's has left, and may take nothing of what is sent before that.
  static let timeout = 5.0
  /// Seconds that the peer has for the end of the connection once it has sent its close frame.
  static let drainTimeout = 2.0

  /// Bytes of messages that hadn't left at the last look.
  private var left: Int

  init(left: Int) { self.left = left }

  /// The socket has taken some of them before the span began.
  mutating func note(left: Int) { self.left = left }

  /// Whether the peer has taken nothing, and answered nothing, in the span that has passed.
  mutating func isSilent(left now: Int) -> Bool {
    defer { left = now }
    return now >= left
  }
}
