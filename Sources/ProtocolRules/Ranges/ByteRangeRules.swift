import LoadingModel

/// The part of a resource that a request's `Range` field asks for (RFC 9110, 14.1.2 and 14.2).
package enum ByteRangeDecision: Sendable, Hashable {
  /// The whole resource: there is no range, one that isn't understood, or several (RFC 9110, 14.2: a server "MAY ignore" the field).
  case whole
  /// These bytes; never empty.
  case part(Range<Int64>)
  /// No byte of the resource lies in the range: 416 in HTTP.
  case unsatisfiable
}

/// Interprets `Range: bytes=…` with a single range, for local files and other resources that this library serves itself.
package enum ByteRangeRules {
  /// - Parameters:
  ///   - value: The `Range` field, nil if absent.
  ///   - length: Size of the resource in bytes.
  package static func decide(_ value: String?, length: Int64) -> ByteRangeDecision {
    guard let value, length >= 0 else { return .whole }
    let parts = value.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
    guard parts.count == 2, String(Substring(parts[0]).trimmingSpaces()).isField("bytes") else { return .whole }
    let spec = Substring(parts[1]).trimmingSpaces()
    let positions = spec.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard positions.count == 2, let first = position(positions[0]), let last = position(positions[1]) else { return .whole }
    switch (first, last) {
    case (nil, nil): return .whole
    // RFC 9110, 14.1.2: "bytes=-500" are the last 500 bytes; if there are fewer, all of them.
    case (nil, let suffix?): return part(max(0, length - suffix), length)
    case (let first?, nil): return part(first, length)
    // RFC 9110, 14.1.1: "An int-range is invalid if the last-pos value is present and less than the first-pos." An invalid one is ignored.
    case (let first?, let last?): return last < first ? .whole : part(first, last < length ? last + 1 : length)
    }
  }

  private static func part(_ lower: Int64, _ upper: Int64) -> ByteRangeDecision {
    lower < upper ? .part(lower..<upper) : .unsatisfiable
  }

  /// A position of the range: the outer nil means "not a number", the inner one "left out". A number beyond Int64 is valid and counts as the
  /// largest.
  private static func position(_ digits: Substring.UTF8View.SubSequence) -> Int64?? {
    if digits.isEmpty { return .some(nil) }
    guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return .some(FieldSyntaxRules.decimal(digits) ?? .max)
  }
}
