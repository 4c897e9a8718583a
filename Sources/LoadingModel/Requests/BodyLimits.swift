/// Limits that an app sets for a response's body; nil means no limit.
package struct BodyLimits: Sendable, Hashable {
  /// The most bytes that are collected in memory.
  package var collected: Int64?
  /// The most bytes that decoding a content coding may produce.
  package var decoded: Int64?

  package init(collected: Int64? = nil, decoded: Int64? = nil) {
    self.collected = collected
    self.decoded = decoded
  }

  /// These limits, and those of `others` where these are nil.
  package func or(_ others: BodyLimits) -> BodyLimits {
    BodyLimits(collected: collected ?? others.collected, decoded: decoded ?? others.decoded)
  }
}
