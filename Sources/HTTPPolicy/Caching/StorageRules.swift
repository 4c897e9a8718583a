import Foundation
import LoadingModel

/// Whether a response goes into the cache, and why.
package struct StorageDecision: Sendable, Hashable {
  /// The first rule that applied.
  package enum Reason: Sendable, Hashable {
    /// Storable: `max-age` or `Expires` says how long it lives.
    case explicitFreshness
    /// Storable: the status allows a guess (RFC 9110, 15.1), or the server said `public` or `private`.
    case heuristic
    case methodNotGET
    case requestForbids
    case responseForbids
    case partialContent
    case statusNotCacheable
    /// A status that is stored only with a lifetime, and has none left.
    case notExplicitlyFresh
    case variesOnEverything
    case noCapacity
    case tooLarge
  }

  /// What decided.
  package let reason: Reason

  /// Whether to store.
  package var isStorable: Bool {
    switch reason {
    case .explicitFreshness, .heuristic: true
    case .methodNotGET, .requestForbids, .responseForbids, .partialContent, .statusNotCacheable, .notExplicitlyFresh, .variesOnEverything,
      .noCapacity, .tooLarge:
      false
    }
  }
}

/// What a private cache stores (RFC 9111, 3, and the conditions Apple documents for `URLCache`).
package enum StorageRules {
  /// - Parameters:
  ///   - request: As sent: an app's `Cache-Control: no-store` counts here too.
  ///   - bodyLength: Bytes to be stored: announced or received; nil if not yet known.
  ///   - capacity: Bytes the store holds in all. Apple stores nothing beyond about 5 % of it.
  ///   - receivedAt: When the response came, in place of a missing `Date` (RFC 9110, 6.6.1).
  package static func decide(
    request: LoadRequest, head: ResponseHead, bodyLength: Int64?, capacity: Int64, receivedAt: Date
  ) -> StorageDecision {
    StorageDecision(
      reason: refusal(request: request, head: head) ?? refusal(bodyLength: bodyLength, capacity: capacity)
        ?? freshness(head: head, receivedAt: receivedAt))
  }

  private static func refusal(request: LoadRequest, head: ResponseHead) -> StorageDecision.Reason? {
    guard request.method == "GET" else { return .methodNotGET }
    // RFC 9111, 5.2.1.5 and 5.2.2.5: no-store on either side forbids it.
    if CacheControl(request.headers).noStore { return .requestForbids }
    if CacheControl(head.headers).noStore { return .responseForbids }
    // RFC 9111, 3.3 allows caches that don't combine ranges to leave 206 alone; Apple's does.
    if head.status == 206 { return .partialContent }
    // RFC 9111, 4.1: "A stored response with a Vary header field value containing a member "*" always fails to match."
    return head.headers.listContains("Vary", token: "*") ? .variesOnEverything : nil
  }

  private static func refusal(bodyLength: Int64?, capacity: Int64) -> StorageDecision.Reason? {
    if capacity <= 0 { return .noCapacity }
    return bodyLength ?? 0 > capacity / 20 ? .tooLarge : nil
  }

  private static func freshness(head: ResponseHead, receivedAt: Date) -> StorageDecision.Reason {
    let control = CacheControl(head.headers)
    let lifetime = explicitLifetime(head: head, control: control, receivedAt: receivedAt)
    switch head.status {
    // RFC 9110, 15.1 lists 200, 203 and 204 as heuristically cacheable. Without any lifetime an entry still serves
    // `returnCacheDataElseLoad`.
    case 200, 203, 204: return lifetime == nil ? .heuristic : .explicitFreshness
    // RFC 9111, 3: other final statuses need Expires, max-age, public or, in a private cache, private.
    case 200..<300:
      if lifetime != nil { return .explicitFreshness }
      return control.isPublic || control.isPrivate ? .heuristic : .statusNotCacheable
    case 301, 308, 404, 410: return lifetime ?? 0 > 0 ? .explicitFreshness : .notExplicitlyFresh
    default: return .statusNotCacheable
    }
  }

  /// Seconds of life the server gave; nil if it gave none. `s-maxage` is for shared caches.
  ///
  /// RFC 9111, 4.2.1: max-age, or else Expires minus Date. 5.3: invalid formats, "especially the value "0"", lie in the past.
  package static func explicitLifetime(head: ResponseHead, control: CacheControl, receivedAt: Date) -> Double? {
    if let maxAge = control.maxAge { return Double(maxAge) }
    guard let expires = head.headers.first("Expires") else { return nil }
    guard let end = HTTPDate.parse(expires, now: receivedAt) else { return 0 }
    let start = head.headers.first("Date").flatMap { HTTPDate.parse($0, now: receivedAt) } ?? receivedAt
    return max(0, end.timeIntervalSince(start))
  }
}
