/// Decides when a client of server-sent events reconnects, and when it gives up (HTML, 9.2.3). A value without I/O and without a clock.
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
    /// The server wants no further connection (status 204): the stream ends.
    case end
    /// The response isn't an event stream: the load fails, because a reconnection wouldn't help.
    case refused
  }

  /// Seconds before the next connection; the server changes it by `retry`.
  private var reconnectionTime: Double
  /// The upper bound in seconds of the pause that exponential back-off yields.
  private let longestPause: Double
  /// The most connections in a row without an event, after which the client gives up; nil for no limit.
  private let attempts: Int?
  /// The number of connections in a row that have brought no event.
  private var failures = 0

  package init(reconnectionTime: Double, longestPause: Double, attempts: Int?) {
    self.reconnectionTime = reconnectionTime
    self.longestPause = longestPause
    self.attempts = attempts
  }

  /// - Parameters:
  ///   - status: The status code; nil if the response isn't one of HTTP.
  ///   - mimeType: The response's MIME type without parameters.
  package func didOpen(status: Int?, mimeType: String?) -> Opening {
    // The HTML standard, 9.2: "Clients will reconnect if the connection is closed; a client can be told to stop reconnecting using the HTTP 204
    // No Content response code."
    if status == 204 { return .end }
    // The HTML standard, 9.2: "if res's status is not 200, or if res's `Content-Type` is not `text/event-stream`, then fail the connection".
    guard status ?? 200 == 200, mimeType?.lowercased() == "text/event-stream" else { return .refused }
    return .read
  }

  /// Notes that the connection has brought an event, which resets the count of failures.
  package mutating func didReceiveEvent() { failures = 0 }

  /// The reconnection times in seconds that a server can ask for: it isn't asked again without a pause if it says 0, nor given up for a year if
  /// it says so. Browsers have such bounds as well.
  package static let reconnectionTimes = 0.5...3600

  /// Sets the reconnection time that the server has sent as `retry`, within `reconnectionTimes`.
  package mutating func setReconnectionTime(_ milliseconds: Int64) {
    let bounds = EventSourceMachine.reconnectionTimes
    reconnectionTime = min(max(Double(milliseconds) / 1000, bounds.lowerBound), bounds.upperBound)
  }

  /// Notes that the connection has ended or couldn't be made, and decides about the next one.
  /// - Parameter chance: A random number from 0 to 1, which spreads the reconnections of many clients after a server's failure.
  /// - Returns: Seconds to wait before the next connection; nil to give up.
  package mutating func didBreak(chance: Double) -> Double? {
    failures += 1
    if let attempts, failures > attempts { return nil }
    guard failures > 1 else { return reconnectionTime }
    // The HTML standard, 9.2: "Optionally, wait some more. In particular, if the previous attempt failed, then user agents might introduce an
    // exponential backoff delay to avoid overloading a potentially already overloaded server."
    var pause = max(reconnectionTime, 0.1)
    for _ in 1..<min(failures, 32) { pause *= 2 }
    return max(reconnectionTime, min(pause * (1 + chance / 4), longestPause))
  }
}
