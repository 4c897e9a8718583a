/// How fast bytes come: an average over the last seconds, so that it follows changes without jumping. Pure.
struct TransferRate: Sendable {
  /// Seconds over which is averaged.
  private static let span = 5.0
  private var samples: [(seconds: Double, total: Int64)]

  /// - Parameters:
  ///   - total: What was there at the beginning.
  ///   - seconds: When it was.
  init(from total: Int64 = 0, at seconds: Double = 0) { samples = [(seconds, total)] }

  /// So many bytes have come in all, so many seconds after the beginning.
  mutating func note(total: Int64, at seconds: Double) {
    if let last = samples.last, seconds <= last.seconds { return }
    samples.append((seconds, total))
    // The newest sample that is older than the span is where the average begins.
    while samples.count > 2, samples[1].seconds <= seconds - TransferRate.span { samples.removeFirst() }
  }

  /// Bytes per second; nil before anything is known.
  var bytesPerSecond: Double? {
    guard samples.count > 1, let first = samples.first, let last = samples.last else { return nil }
    return Double(last.total - first.total) / (last.seconds - first.seconds)
  }
}
