import LoadingModel
import NIOCore

/// What the peer may send: the connection's window, and how those of streams grow (RFC 9113, 5.2).
///
/// A stream begins with a small window. Where its reader keeps up and the window, not the network or the server, is what the transfer waits
/// for, it is doubled, from a budget that all streams share: so much memory, and no more, can be lost to readers that stop all at once.
struct ReceiveCredit {
  /// What this side allows the peer to send on a new stream: as much as an exchange reads ahead.
  static let initialWindow = Exchange.readAheadLimit
  /// The same for all streams together. A stream's own window is what bounds its memory: this one is credited as bytes arrive, so that a
  /// slow reader stops only itself.
  static let connectionWindow = 16 * 1024 * 1024
  static let largestWindow = 8 * 1024 * 1024
  /// Bytes by which the windows of all streams together may grow.
  static let growthBudget = 32 * 1024 * 1024
  /// Half a window used up within so many round trips could have been used up faster with a larger one.
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
