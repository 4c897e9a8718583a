import Foundation
import LoadingModel

/// Whether the cache stores a response, and why.
package struct StorageDecision: Sendable, Hashable {
  /// The first rule that applied to the response; it decided whether the response is stored.
  package enum Reason: Sendable, Hashable {
    /// Storable: `max-age` or `Expires` says how long it lives.
    case explicitFreshness
    /// Storable: the status allows a guess (RFC 9110, 15.1), or the server said `public` or `private`.
    case heuristic
    case methodNotGET
    case requestForbids
    case responseForbids
    case statusNotUnderstood
    case partialContent
    case statusNotCacheable
    /// The status is one that is stored only with a lifetime, and the response has none.
    case notExplicitlyFresh
    case variesOnEverything
    case noCapacity
    case tooLarge
  }

  /// The rule that decided whether the response is stored.
  package let reason: Reason

  /// Whether the response is stored.
  package var isStorable: Bool {
    switch reason {
    case .explicitFreshness, .heuristic: true
    case .methodNotGET, .requestForbids, .responseForbids, .statusNotUnderstood, .partialContent, .statusNotCacheable,
      .notExplicitlyFresh, .variesOnEverything, .noCapacity, .tooLarge:
      false
    }
  }
}

/// What a private cache stores (RFC 9111, 3, and the conditions Apple documents for `URLCache`).
package enum StorageRules {
  /// - Parameters:
  ///   - request: The request as sent: an app's `Cache-Control: no-store` counts here, too.
  ///   - bodyLength: Bytes to be stored: announced or received; nil if not yet known.
  ///   - capacity: Bytes the store holds in all. Apple stores nothing beyond about 5 % of it.
  ///   - receivedAt: When the response arrived; takes the place of a missing `Date` (RFC 9110, 6.6.1). Evaluated only if nothing else decides.
  package static func decide(
    request: LoadRequest, head: ResponseHead, bodyLength: Int64?, capacity: Int64, receivedAt: @autoclosure () -> Date
  ) -> StorageDecision {
    let control = CacheControl(head.headers)
    return StorageDecision(
      reason: refusal(request: request, head: head, control: control) ?? sizeRefusal(bodyLength: bodyLength, capacity: capacity)
        ?? freshness(head: head, control: control, receivedAt: receivedAt()))
  }

  private static func refusal(request: LoadRequest, head: ResponseHead, control: CacheControl) -> StorageDecision.Reason? {
    guard request.method == "GET" else { return .methodNotGET }
    // RFC 9111, 5.2.1.5: no-store on the request forbids it.
    if request.headers.contains("Cache-Control"), CacheControl(request.headers).noStore { return .requestForbids }
    if control.mustUnderstand {
      // RFC 9111, 5.2.2.3: only caches that know what the status asks of them may store it; those "SHOULD ignore the no-store directive".
      if !isUnderstood(head.status) { return .statusNotUnderstood }
    } else if control.noStore {
      return .responseForbids
    }
    // RFC 9111, 3.3: a cache that doesn't combine partial responses need not store a 206; Apple's doesn't either.
    if head.status == 206 { return .partialContent }
    // RFC 9111, 4.1: "A stored response with a Vary header field value containing a member "*" always fails to match."
    return VaryRules.names(head) == nil ? .variesOnEverything : nil
  }

  private static func freshness(head: ResponseHead, control: CacheControl, receivedAt: Date) -> StorageDecision.Reason {
    let facts = StoredFacts(head: head, requestFields: HeaderFields(), requestTime: receivedAt, responseTime: receivedAt, bodyLength: 0)
    let lifetime = FreshnessRules.explicitLifetime(facts, control: control)
    switch head.status {
    // 304 concerns another response. 401 and 407 ask for credentials, which the next request may have. 412, 416 and 417 answer the request's
    // conditions, Range and Expect (RFC 9110, 13, 14 and 10.1.1), which are no part of the key: another request for the URL would get what it
    // hasn't asked for. RFC 6585: 428, 429, 431 and 511 "MUST NOT be stored by a cache".
    case ..<200, 206, 304, 401, 407, 412, 416, 417, 428, 429, 431, 511: return .statusNotCacheable
    // RFC 9110, 15.1 lists 200, 203 and 204 as heuristically cacheable. Without any lifetime an entry can still be validated, and serves
    // `returnCacheDataElseLoad`.
    case 200, 203, 204: return lifetime == nil ? .heuristic : .explicitFreshness
    // RFC 9111, 3: other final statuses need Expires, max-age, public or, in a private cache, private.
    case ..<300:
      if lifetime != nil { return .explicitFreshness }
      return control.isPublic || control.isPrivate ? .heuristic : .statusNotCacheable
    // Redirects and errors are stored only with a lifetime, stated or guessed, that isn't over: a stale one isn't worth a validation.
    default:
      if let lifetime { return lifetime > 0 ? .explicitFreshness : .notExplicitlyFresh }
      return FreshnessRules.guessedLifetime(facts, control: control) ?? 0 > 0 ? .heuristic : .notExplicitlyFresh
    }
  }

  /// Whether this client knows what a final status demands of a cache (for `must-understand`): the codes of RFC 9110, 15, and the other
  /// registered ones, which demand nothing.
  package static func isUnderstood(_ status: Int) -> Bool {
    switch status {
    case 200...205, 207, 208, 226, 300...303, 305, 307, 308, 400...417, 421...426, 428, 429, 431, 451, 500...508, 510, 511: true
    default: false
    }
  }
}
