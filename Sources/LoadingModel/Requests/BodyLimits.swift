/// Bounds that an app sets on a response's body. nil: none.
package struct BodyLimits: Sendable, Hashable {
  /// Bytes that are collected in memory.
  package var collected: Int64?
  /// Bytes that a content coding may make of a body.
  package var decoded: Int64?

  package init(collected: Int64? = nil, decoded: Int64? = nil) {
    self.collected = collected
    self.decoded = decoded
  }

  /// Where these say nothing, `others` do.
  package func or(_ others: BodyLimits) -> BodyLimits {
    BodyLimits(collected: collected ?? others.collected, decoded: decoded ?? others.decoded)
  }
}
