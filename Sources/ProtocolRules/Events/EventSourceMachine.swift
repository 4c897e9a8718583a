/// When a client of server-sent events connects again, and when it gives up (HTML, 9.2.3). A value without I/O and without time.
///
/// ```
///            ┌──────────── pause ◄───────────┐
///            ▼                               │
/// connect ─► didOpen ─► events ─► didBreak ──┤
///              │ 204                         └─► give up
///              ├─────► end
///              └─────► refused
/// ```
package struct EventSourceMachine: Sendable {
  /// What a response means for the stream.
  package enum Opening: Sendable, Hashable {
    case read
    /// The server wants no further connection.
    case end
    /// Connecting again wouldn't help.
    case refused
  }

  /// Seconds before the next connection, until the server says something else.
  private var reconnectionTime: Double
  /// Seconds that back-off makes of it at most.
  private let longestPause: Double
  /// Connections in a row that may bring no event; nil for any number.
  private let attempts: Int?
  /// Connections in a row that have brought no event.
  private var failures = 0

  package init(reconnectionTime: Double, longestPause: Double, attempts: Int?) {
    self.reconnectionTime = reconnectionTime
    self.longestPause = longestPause
    self.attempts = attempts
  }

  /// - Parameters:
  ///   - status: nil if the response isn't one of HTTP.
  ///   - mimeType: Without parameters.
  package func didOpen(status: Int?, mimeType: String?) -> Opening {
    // "Clients will reconnect if the connection is closed; a client can be told to stop reconnecting using the HTTP 204 No Content
    // response code."
    if status == 204 { return .end }
    // "if res's status is not 200, or if res's `Content-Type` is not `text/event-stream`, then fail the connection".
    guard status ?? 200 == 200, mimeType?.lowercased() == "text/event-stream" else { return .refused }
    return .read
  }

  /// The connection has brought an event.
  package mutating func didReceiveEvent() { failures = 0 }

  /// Seconds before the next connection that a server can ask for: one that says 0 isn't asked again and again, and one that says a year isn't
  /// lost. Browsers have such bounds as well.
  package static let reconnectionTimes = 0.5...3600

  /// The server has said after how many milliseconds to connect again.
  package mutating func setReconnectionTime(_ milliseconds: Int64) {
    let bounds = EventSourceMachine.reconnectionTimes
    reconnectionTime = min(max(Double(milliseconds) / 1000, bounds.lowerBound), bounds.upperBound)
  }

  /// The connection has ended, or couldn't be made.
  /// - Parameter chance: 0 to 1: spreads the clients of a server that has failed.
  /// - Returns: Seconds to wait before the next one; nil to give up.
  package mutating func didBreak(chance: Double) -> Double? {
    failures += 1
    if let attempts, failures > attempts { return nil }
    guard failures > 1 else { return reconnectionTime }
    // "Optionally, wait some more. In particular, if the previous attempt failed, then user agents might introduce an exponential backoff
    // delay to avoid overloading a potentially already overloaded server."
    var pause = max(reconnectionTime, 0.1)
    for _ in 1..<min(failures, 32) { pause *= 2 }
    return max(reconnectionTime, min(pause * (1 + chance / 4), longestPause))
  }
}
