import NIOCore

/// Remembers the streams that were closed by RST_STREAM: frames that the server sent before it knew are no error (RFC 9113, 5.1).
struct ClosedStreams {
  private static let memory = 1024
  private var recent: Set<Int32> = []
  private var order = CircularBuffer<Int32>()
  /// Ids up to this one may have been dropped from `recent`, so that frames on them are always tolerated.
  private var forgotten: Int32 = 0

  mutating func noteReset(_ id: Int32) {
    guard recent.insert(id).inserted else { return }
    order.append(id)
    guard order.count > ClosedStreams.memory else { return }
    let oldest = order.removeFirst()
    recent.remove(oldest)
    forgotten = max(forgotten, oldest)
  }

  /// Whether frames on the closed stream `id` are to be ignored and not to be treated as an error.
  func mayHear(_ id: Int32) -> Bool { id <= forgotten || recent.contains(id) }
}

/// Counts frames that cost work and bring nothing: pings, settings, empty data, frames on closed streams (RFC 9113, 10.5).
struct FutileFrames {
  static let limit = 2000
  /// Nanoseconds after which, or after any progress, the count begins anew.
  static let period: UInt64 = 10_000_000_000
  private var count = 0
  private var began: UInt64 = 0

  mutating func progress() { count = 0 }

  mutating func add(_ now: UInt64) throws(HTTP2ConnectionError) {
    if now >= began &+ FutileFrames.period {
      began = now
      count = 0
    }
    count += 1
    guard count <= FutileFrames.limit else {
      throw HTTP2ConnectionError(.enhanceYourCalm, "it sends frames without end that serve no purpose")
    }
  }
}
