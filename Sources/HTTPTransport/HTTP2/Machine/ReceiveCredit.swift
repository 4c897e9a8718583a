import LoadingModel
import NIOCore

/// The receive windows of an HTTP/2 connection and its streams, and when they are widened by WINDOW_UPDATE (RFC 9113, 5.2).
///
/// A stream begins with a small window. If its reader keeps up and the transfer is limited by the window rather than by the network or the server,
/// the window is doubled. All growth comes from one budget, which limits the memory that is used if all readers stop at once.
struct ReceiveCredit {
  /// The receive window of a new stream in bytes: as much as an exchange buffers unread.
  static let initialWindow = Exchange.readAheadLimit
  /// The receive window of the whole connection in bytes. It is credited as bytes arrive, read or not, so that a slow reader blocks only its own
  /// stream: the streams' windows limit the memory.
  static let connectionWindow = 16 * 1024 * 1024
  static let largestWindow = 8 * 1024 * 1024
  /// The most bytes by which the windows of all streams together may grow.
  static let growthBudget = 32 * 1024 * 1024
  /// If half a window was used up within this many round trips, a larger window might make the transfer faster.
  private static let roundTripsPerHalf: UInt64 = 4

  private var window = ReceiveCredit.connectionWindow
  private var uncredited = 0
  private var budget = growthBudget
  private var settingsSentAt: UInt64 = 0
  /// Nanoseconds from the first settings to their acknowledgement.
  private var roundTrip: UInt64?

  mutating func settingsSent(_ now: UInt64) { settingsSentAt = now }

  mutating func settingsAcknowledged(_ now: UInt64) {
    if roundTrip == nil { roundTrip = max(now, settingsSentAt) - settingsSentAt }
  }

  /// Takes in `count` bytes of data frames, padding included; false if there was no room for them.
  mutating func receive(_ count: Int) -> Bool {
    guard count <= window else { return false }
    window -= count
    uncredited += count
    return true
  }

  /// Bytes by which to widen the connection's window; nil if it isn't worth a frame yet.
  mutating func takeConnectionCredit() -> Int? {
    guard uncredited >= ReceiveCredit.connectionWindow / 4 else { return nil }
    defer { uncredited = 0 }
    window += uncredited
    return uncredited
  }

  /// Bytes by which to widen the window of a stream whose reader has room; nil if it isn't worth a frame yet.
  mutating func takeCredit(_ stream: HTTP2Stream, _ now: UInt64) -> Int? {
    guard stream.uncredited >= stream.windowSize / 2 else { return nil }
    var increment = stream.uncredited
    stream.uncredited = 0
    let growth = min(stream.windowSize, ReceiveCredit.largestWindow - stream.windowSize, budget)
    if let roundTrip, growth > 0, max(now, stream.creditedAt) - stream.creditedAt <= roundTrip * ReceiveCredit.roundTripsPerHalf {
      budget -= growth
      stream.windowSize += growth
      increment += growth
    }
    stream.creditedAt = now
    stream.window += increment
    return increment
  }

  /// The stream has ended: what its window had grown by is returned to `budget`.
  mutating func ended(_ stream: HTTP2Stream) {
    budget += stream.windowSize - ReceiveCredit.initialWindow
    stream.windowSize = ReceiveCredit.initialWindow
  }
}

extension HTTP2Machine {
  /// Lets the peer send more on a stream whose reader has room.
  mutating func credit(_ stream: HTTP2Stream) {
    guard stream.isOpen, let increment = credit.takeCredit(stream, now) else { return }
    output.writeWindowUpdate(stream.id, increment)
  }

  /// Lets the peer send more on the connection.
  mutating func creditConnection() {
    if let increment = credit.takeConnectionCredit() { output.writeWindowUpdate(0, increment) }
  }
}
