import LoadingModel

/// Limits how far content codings may make a body grow. Each coding of a body has one value; all of them share one count of the bytes received.
package struct ContentGrowthRules {
  /// The most decoded bytes for each byte received. Deflate, and so gzip, can't exceed 1,032; other codings have no bound.
  package static let largestRatio: Int64 = 2000
  /// The number of decoded bytes up to which the ratio isn't checked.
  package static let unquestioned: Int64 = 64 * 1024 * 1024

  /// The most decoded bytes; nil if only the ratio limits them.
  private let limit: Int64?
  package let received: Received
  private var decoded: Int64 = 0

  /// The number of body bytes received, before any decoding. Used only on the load's event loop.
  package final class Received {
    fileprivate var count: Int64 = 0

    package init() {}

    package func take(_ count: Int) { self.count += Int64(count) }
  }

  package init(limit: Int64?, _ received: Received = Received()) {
    self.limit = limit
    self.received = received
  }

  /// Counts decoded bytes, and throws if they exceed the limit or the ratio.
  package mutating func take(decoded count: Int) throws(LoadError) {
    decoded += Int64(count)
    if let limit, decoded > limit {
      throw LoadError(.dataLengthExceedsMaximum, .decode, "the decoded body is longer than the \(limit) bytes that were set as its limit")
    }
    // Divided rather than multiplied, so that no overflow is possible.
    guard decoded > ContentGrowthRules.unquestioned, decoded / ContentGrowthRules.largestRatio > received.count else { return }
    throw LoadError(
      .dataLengthExceedsMaximum, .decode,
      "the body's content coding makes it grow to more than \(ContentGrowthRules.largestRatio) times what was received: it isn't decoded further"
    )
  }
}
