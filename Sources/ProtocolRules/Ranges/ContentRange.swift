import LoadingModel

/// The value of a `Content-Range` field in bytes (RFC 9110, 14.4).
package enum ContentRange: Sendable, Hashable {
  /// "bytes first-last/total": the bytes in `range`, which is never empty; `total` is nil for "*".
  case part(range: Range<Int64>, total: Int64?)
  /// "bytes */total": the answer to a range that couldn't be satisfied.
  case unsatisfied(total: Int64)

  /// Nil if `text` is malformed, or invalid by RFC 9110, 14.4: a last position before the first, or a total that isn't larger than the last.
  ///
  /// - Parameter length: The length of the body in bytes; nil if unknown. Some servers send the position after the last one in its place; it is
  ///   corrected if the body's length shows the mistake.
  package init?(_ text: String, bodyLength length: Int64? = nil) {
    let value = text.trimmingSpaces()
    guard let space = value.utf8.firstIndex(of: 0x20), String(value[..<space]).isField("bytes") else { return nil }
    let parts = value[value.utf8.index(after: space)...].trimmingSpaces().utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let total = FieldSyntaxRules.decimal(parts[1])
    guard total != nil || Substring(parts[1]) == "*" else { return nil }
    if Substring(parts[0]) == "*" {
      guard let total else { return nil }
      self = .unsatisfied(total: total)
      return
    }
    let positions = parts[0].split(separator: 0x2D, omittingEmptySubsequences: false)
    guard positions.count == 2, let first = FieldSyntaxRules.decimal(positions[0]), var last = FieldSyntaxRules.decimal(positions[1]),
      first <= last
    else { return nil }
    if let length, length > 0, last - first == length, last == total ?? last { last -= 1 }
    guard last < total ?? .max else { return nil }
    self = .part(range: first..<last + 1, total: total)
  }

  /// The field value.
  package var serialized: String {
    switch self {
    case .part(let range, let total): "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")"
    case .unsatisfied(let total): "bytes */\(total)"
    }
  }
}
