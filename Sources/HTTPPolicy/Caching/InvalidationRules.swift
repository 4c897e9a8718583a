import Foundation
import LoadingModel

/// What a response says about responses that are already stored (RFC 9111, 4.3.5 and 4.4).
package enum InvalidationRules {
  /// What a HEAD means for the stored response of a GET.
  package enum HeadDecision: Sendable, Hashable {
    /// It still holds: its fields are updated.
    case update
    /// It is outdated.
    case remove
    case keep
  }

  /// RFC 9111, 4.3.5: the stored response is updated if its validators and length, where both name them, are the same; otherwise it is
  /// outdated.
  package static func decide(head: ResponseHead, stored: StoredFacts) -> HeadDecision {
    switch head.status {
    case 200 where stored.head.status == 200:
      for name in ["ETag", "Last-Modified", "Content-Encoding"] {
        if let new = head.headers.first(name), let old = stored.head.headers.first(name), new != old { return .remove }
      }
      if let text = head.headers.first("Content-Length"), let length = FieldSyntaxRules.decimal(text.trimmingSpaces().utf8) {
        return length == stored.bodyLength ? .update : .remove
      }
      return .update
    case 200, 404, 410: return .remove
    default: return .keep
    }
  }

  /// Whether a request may change what it names. RFC 9111, 4.4: "a cache MUST invalidate … when it receives a non-error status code in response
  /// to an unsafe request method (including methods whose safety is unknown)".
  package static func isUnsafe(method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY": false
    default: true
    }
  }

  /// The URLs whose stored responses an answer to an unsafe request outdates: its own, and those in `Location` and `Content-Location` of the
  /// same origin (4.4: others MUST NOT be, or anyone could empty the cache for anyone).
  package static func outdated(by head: ResponseHead, request: LoadRequest) -> [Target] {
    guard isUnsafe(method: request.method), (200..<400).contains(head.status), let url = request.url, let target = request.target else {
      return []
    }
    var result = [target]
    for name in ["Location", "Content-Location"] {
      guard let value = head.headers.first(name), let other = Target(URL(string: value, relativeTo: url)?.absoluteURL) else { continue }
      if other.origin == target.origin, other.pathAndQuery != target.pathAndQuery { result.append(other) }
    }
    return result
  }
}
