import Foundation
import LoadingModel

/// How much of a stored, whole response answers a request (RFC 9110, 14.2; RFC 9111, 3.3).
package enum StoredRangeDecision: Sendable {
  case whole
  /// These bytes of the body, with this head of status 206.
  case part(Range<Int64>, ResponseHead)
  /// No byte of the body, but this head of status 416: the range lies outside.
  case unsatisfiable(ResponseHead)
  /// The stored response can't answer a range: its body has a content coding, and the app's range counts decoded bytes.
  case unusable
}

package enum StoredRangeRules {
  /// - Parameters:
  ///   - head: The stored head as the app would get it.
  ///   - length: Bytes of the stored body.
  package static func decide(_ request: LoadRequest, head: ResponseHead, length: Int64) -> StoredRangeDecision {
    // RFC 9110, 14.2: Range is defined for GET alone.
    guard request.method == "GET", head.status == 200, let range = request.headers.first("Range") else { return .whole }
    if case .known(let codings) = ContentCodingRules.parse(head.headers), codings.allSatisfy({ $0 == .identity }) {
    } else {
      return .unusable
    }
    if let condition = request.headers.first("If-Range"), !holds(condition, head) { return .whole }
    switch ByteRangeRules.decide(range, length: length) {
    case .whole: return .whole
    case .part(let part):
      var partial = ResponseHead(status: 206, reason: "Partial Content", version: head.version, headers: head.headers)
      partial.headers.set("Content-Range", ContentRange.part(range: part, total: length).serialized)
      partial.headers.set("Content-Length", String(part.upperBound - part.lowerBound))
      return .part(part, partial)
    case .unsatisfiable:
      // RFC 9110, 15.5.17: the length lets the client ask for a range that exists. Fields that describe the stored representation don't fit the
      // empty body.
      var headers = HeaderFields([("Content-Range", ContentRange.unsatisfied(total: length).serialized), ("Content-Length", "0")])
      if let date = head.headers.first("Date") { headers.add("Date", date) }
      return .unsatisfiable(ResponseHead(status: 416, reason: "Range Not Satisfiable", version: head.version, headers: headers))
    }
  }

  /// Whether the condition in `If-Range` holds (RFC 9110, 13.1.5): by the strong comparison for an entity tag, the exact one for a date.
  private static func holds(_ condition: String, _ head: ResponseHead) -> Bool {
    let condition = condition.trimmingSpaces()
    if condition.hasPrefix("\"") { return condition == head.headers.first("ETag")?.trimmingSpaces() }
    return !condition.hasPrefix("W/") && condition == head.headers.first("Last-Modified")?.trimmingSpaces()
  }
}
