import Foundation
import LoadingModel

/// What a response means for responses that are already stored: they are updated, or become invalid (RFC 9111, 4.3.5 and 4.4).
package enum InvalidationRules {
  /// What the response to a HEAD means for the stored response to a GET of the same URL.
  package enum HeadDecision: Sendable, Hashable {
    /// The stored response still matches: its header fields are updated.
    case update
    /// The stored response is outdated: it is removed.
    case remove
    case keep
  }

  /// What happens to a stored response that the server has confirmed, by a 304 or a HEAD.
  package enum ConfirmedDecision: Sendable, Hashable {
    case update
    /// `Vary` names other fields than before: the response is stored again, with those fields of the request that confirmed it.
    case storeAnew
    /// The stored response may answer this request, and is removed from the store.
    case remove
    /// The stored response stays as it is: the request's `no-store` forbids storing anything of this answer.
    case keep
  }

  /// Whether a 304 confirms the stored response that was validated. RFC 9111, 4.3.4: if none of the stored responses has the validator of the 304,
  /// "the cache MUST NOT use the new response to update any stored responses". Without an entity tag on both sides there is nothing to compare.
  package static func confirms(_ answer: ResponseHead, stored: ResponseHead) -> Bool {
    let (given, kept) = (answer.headers.first("ETag"), stored.headers.first("ETag"))
    if given == kept { return true }
    guard let new = opaqueTag(given), let old = opaqueTag(kept) else { return true }
    return new == old
  }

  /// The entity tag as the weak comparison sees it (RFC 9110, 8.8.3.2), without the name of the content coding that Apache appends inside the quotes
  /// of a compressed response, but not always in the 304 for it; nil if there is none.
  private static func opaqueTag(_ value: String?) -> Substring? {
    guard var tag = value?.trimmingSpaces()[...] else { return nil }
    if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
    if tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 { tag = tag.dropFirst().dropLast() }
    for coding in ["-gzip", "-br"] where tag.hasSuffix(coding) { return tag.dropLast(coding.utf8.count) }
    return tag.isEmpty ? nil : tag
  }

  /// What happens to a stored response that a 304 or a HEAD has confirmed. With the answer's fields it must still be storable (RFC 9111, 3.2 with
  /// 3 and 4.1).
  /// - Parameter updated: The stored head with the fields of the answer (`StoredFieldRules.updated`).
  package static func decide(updated: ResponseHead, stored: StoredFacts, request: LoadRequest) -> ConfirmedDecision {
    let control = CacheControl(updated.headers)
    // The test that `StorageRules` makes on responses from the network. A response that was stored in spite of `no-store` has been stored by the
    // app, and stays.
    let isRefused = control.mustUnderstand ? !StorageRules.isUnderstood(updated.status) : control.noStore
    if isRefused, !stored.reading.control.noStore { return .remove }
    guard let names = VaryRules.names(updated) else { return .remove }
    if request.headers.contains("Cache-Control"), CacheControl(request.headers).noStore { return .keep }
    guard !names.isEmpty || stored.head.headers.contains("Vary") else { return .update }
    let former = VaryRules.names(stored.head) ?? []
    return Set(names.map { $0.lowercased() }) == Set(former.map { $0.lowercased() }) ? .update : .storeAnew
  }

  /// What the answer to a HEAD means for the stored response (RFC 9111, 4.3.5): it is updated if its validators and length, where both name them,
  /// are the same; otherwise it is outdated.
  package static func decide(head: ResponseHead, stored: StoredFacts) -> HeadDecision {
    switch head.status {
    case 200 where stored.head.status == 200:
      for name in ["ETag", "Last-Modified"] {
        // A validator that the stored response lacks doesn't match either: the new one may be that of another body.
        if let new = head.headers.first(name), new != stored.head.headers.first(name) { return .remove }
      }
      if let new = head.headers.first("Content-Encoding"), let old = stored.head.headers.first("Content-Encoding"), new != old {
        return .remove
      }
      if let text = head.headers.first("Content-Length"), let length = FieldSyntaxRules.decimal(text.trimmingSpaces().utf8) {
        return length == stored.bodyLength ? .update : .remove
      }
      return .update
    case 200, 404, 410: return .remove
    default: return .keep
    }
  }

  /// Whether a request with this method may change the resource. RFC 9111, 4.4: "a cache MUST invalidate … when it receives a non-error status
  /// code in response to an unsafe request method (including methods whose safety is unknown)".
  package static func isUnsafe(method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY": false
    default: true
    }
  }

  /// The URLs whose stored responses become invalid by the answer to an unsafe request: the request's own, and those in `Location` and
  /// `Content-Location` of the same origin (RFC 9111, 4.4: others MUST NOT be, or any server could empty the cache for any other).
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
