/// The rate of a transfer, averaged over the last seconds, so that it follows changes without jumping. Pure.
struct TransferRate: Sendable {
  /// Seconds over which the rate is averaged.
  private static let span = 5.0
  private var samples: [(seconds: Double, total: Int64)]

  /// - Parameters:
  ///   - total: Number of bytes at the beginning.
  ///   - seconds: Time of the beginning.
  init(from total: Int64 = 0, at seconds: Double = 0) { samples = [(seconds, total)] }

  /// Notes that `total` bytes were transferred at this time.
  mutating func note(total: Int64, at seconds: Double) {
    if let last = samples.last, seconds <= last.seconds { return }
    samples.append((seconds, total))
    // Older samples are dropped, except the newest one that is older than the span, from which the average is computed.
    while samples.count > 2, samples[1].seconds <= seconds - TransferRate.span { samples.removeFirst() }
  }

  /// Bytes per second; nil before the second sample.
  var bytesPerSecond: Double? {
    guard samples.count > 1, let first = samples.first, let last = samples.last else { return nil }
    return Double(last.total - first.total) / (last.seconds - first.seconds)
  }
}
