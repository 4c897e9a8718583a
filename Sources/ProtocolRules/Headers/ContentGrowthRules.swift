import LoadingModel

/// How far a content coding may make a body grow.
package struct ContentGrowthRules: Sendable {
  /// Decoded bytes for each that came. Deflate, and so gzip, can't exceed 1,032; other codings know no bound.
  package static let largestRatio: Int64 = 2000
  /// Decoded bytes that any body may have.
  package static let unquestioned: Int64 = 64 * 1024 * 1024

  /// Decoded bytes at most; nil for no limit but the ratio.
  private let limit: Int64?
  private var coded: Int64 = 0
  private var decoded: Int64 = 0

  package init(limit: Int64?) { self.limit = limit }

  /// Bytes have come.
  package mutating func take(coded count: Int) { coded += Int64(count) }

  /// Bytes have been decoded.
  package mutating func take(decoded count: Int) throws(LoadError) {
    decoded += Int64(count)
    if let limit, decoded > limit {
      throw LoadError(.dataLengthExceedsMaximum, .decode, "the decoded body is longer than the \(limit) bytes that were set as its limit")
    }
    // Divided, so that nothing overflows.
    guard decoded > ContentGrowthRules.unquestioned, decoded / ContentGrowthRules.largestRatio > coded else { return }
    throw LoadError(
      .dataLengthExceedsMaximum, .decode,
      "the body's content coding makes it grow more than \(ContentGrowthRules.largestRatio) times: it isn't decoded further")
  }
}
