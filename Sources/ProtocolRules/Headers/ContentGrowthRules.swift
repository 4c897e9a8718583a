import LoadingModel

/// How far content codings may make a body grow: one for each coding, all with one count of what was received.
package struct ContentGrowthRules {
  /// Decoded bytes for each that came. Deflate, and so gzip, can't exceed 1,032; other codings know no bound.
  package static let largestRatio: Int64 = 2000
  /// Decoded bytes that any body may have.
  package static let unquestioned: Int64 = 64 * 1024 * 1024

  /// Decoded bytes at most; nil for no limit but the ratio.
  private let limit: Int64?
  package let received: Received
  private var decoded: Int64 = 0

  /// Bytes that were received, before any coding was taken off. Confined to the load.
  package final class Received {
    fileprivate var count: Int64 = 0

    package init() {}

    package func take(_ count: Int) { self.count += Int64(count) }
  }

  package init(limit: Int64?, _ received: Received = Received()) {
    self.limit = limit
    self.received = received
  }

  /// Bytes have been decoded.
  package mutating func take(decoded count: Int) throws(LoadError) {
    decoded += Int64(count)
    if let limit, decoded > limit {
      throw LoadError(.dataLengthExceedsMaximum, .decode, "the decoded body is longer than the \(limit) bytes that were set as its limit")
    }
    // Divided, so that nothing overflows.
    guard decoded > ContentGrowthRules.unquestioned, decoded / ContentGrowthRules.largestRatio > received.count else { return }
    throw LoadError(
      .dataLengthExceedsMaximum, .decode,
      "the body's content coding makes it grow to more than \(ContentGrowthRules.largestRatio) times what was received: it isn't decoded further"
    )
  }
}
