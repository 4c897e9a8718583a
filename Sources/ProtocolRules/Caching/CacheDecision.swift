import Foundation
import LoadingModel

/// How a request is to be answered: from the store, by asking the server whether what is stored still holds, or by the server alone.
package enum CacheDecision: Sendable {
  /// The stored response answers the request, without a validation.
  case use
  /// The stored response answers the request at once, and is validated in the background (RFC 5861, 3).
  case useAndRevalidate
  /// A conditional request with these fields is sent; a 304 means that the stored response answers it.
  case validate(HeaderFields)
  case fetch
  /// The request's `only-if-cached` forbids the network, and no stored response may answer: 504 (RFC 9111, 5.2.1.7).
  case gatewayTimeout
  /// Apple's policy `returnCacheDataDontLoad` forbids the network, and nothing is stored.
  case unavailable
}

/// Decides whether a stored response answers a request, by RFC 9111, 4 for a private cache, after Apple's request policies.
package enum CacheRules {
  /// `NSURLRequest.CachePolicy` by raw value.
  package enum Policy: UInt, Sendable {
    case useProtocolCachePolicy = 0
    case reloadIgnoringLocalCacheData = 1
    case returnCacheDataElseLoad = 2
    case returnCacheDataDontLoad = 3
    case reloadIgnoringLocalAndRemoteCacheData = 4
    case reloadRevalidatingCacheData = 5

    /// Whether the store is searched for a response under this policy.
    package var readsStore: Bool {
      switch self {
      case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad, .reloadRevalidatingCacheData: true
      case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: false
      }
    }
  }

  /// The policy in force: the request's own, or where it keeps the default, the session's.
  package static func policy(request: UInt, session: UInt) -> Policy {
    Policy(rawValue: request == 0 ? session : request) ?? .useProtocolCachePolicy
  }

  /// Whether stored responses may answer `request` at all: GET and HEAD, without a body, and without conditional fields of the app's own. Those
  /// concern a response that the app keeps itself, so that the app must get the 304.
  package static func mayAnswer(_ request: LoadRequest) -> Bool {
    guard request.method == "GET" || request.method == "HEAD" else { return false }
    guard case .none = request.body else { return false }
    return !request.headers.entries.contains { isCondition($0.name) }
  }

  /// Whether `request` has nothing that concerns a cache: a GET without a body, conditional fields or Cache-Control. If nothing is stored for it,
  /// it is sent unchanged.
  package static func isPlain(_ request: LoadRequest) -> Bool {
    guard request.method == "GET", case .none = request.body else { return false }
    let headers = request.headers
    return headers.isEmpty || !headers.entries.contains { isCondition($0.name) || $0.name.isField("cache-control") }
  }

  private static func isCondition(_ name: String) -> Bool {
    switch name.utf8.count {
    case 8: name.isField("if-match")
    case 13: name.isField("if-none-match")
    case 17: name.isField("if-modified-since")
    case 19: name.isField("if-unmodified-since")
    default: false
    }
  }

  /// - Parameters:
  ///   - stored: The response selected for the request (`VaryRules.select`); nil if there is none.
  package static func decide(now: Date, request: LoadRequest, policy: Policy, stored: StoredFacts?) -> CacheDecision {
    judge(now: now, request: request, policy: policy, stored: stored).decision
  }

  /// The decision, and the reason for it.
  package static func judge(
    now: Date, request: LoadRequest, policy: Policy, stored: StoredFacts?
  ) -> (decision: CacheDecision, reason: CacheReason) {
    switch policy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return (.fetch, .policy)
    // The stored response is used whatever its age.
    case .returnCacheDataElseLoad: return stored == nil ? (.fetch, .nothingStored) : (.use, .policy)
    case .returnCacheDataDontLoad: return stored == nil ? (.unavailable, .nothingStored) : (.use, .policy)
    case .reloadRevalidatingCacheData: return validation(stored, request, .policy)
    case .useProtocolCachePolicy: break
    }
    let wishes = CacheControl(request.headers)
    // A request with `no-store` asks that nothing of it be stored; no stored response answers it either.
    if wishes.noStore { return (wishes.onlyIfCached ? .gatewayTimeout : .fetch, .requestNoStore) }
    let (decision, reason) = stored.map { byProtocol(now, request, wishes, $0) } ?? (.fetch, .nothingStored)
    guard wishes.onlyIfCached else { return (decision, reason) }
    switch decision {
    case .use: return (.use, reason)
    // The background validation is left out: `only-if-cached` forbids the network.
    case .useAndRevalidate: return (.use, reason)
    case .validate, .fetch, .gatewayTimeout, .unavailable: return (.gatewayTimeout, .requestOnlyIfCached)
    }
  }

  private static func byProtocol(
    _ now: Date, _ request: LoadRequest, _ wishes: CacheControl, _ stored: StoredFacts
  ) -> (decision: CacheDecision, reason: CacheReason) {
    let control = stored.reading.control
    // RFC 9111, 5.2.2.4 and 5.2.1.4: `no-cache` demands a validation. 5.4: Pragma counts only where there is no Cache-Control.
    if control.noCache { return validation(stored, request, .responseNoCache) }
    if wishes.noCache { return validation(stored, request, .requestNoCache) }
    if !wishes.isPresent, request.headers.listContains("Pragma", token: "no-cache") {
      return validation(stored, request, .requestNoCache)
    }
    let freshness = FreshnessRules.freshness(stored, now: now)
    // RFC 9111, 5.2.1.1: the response is older than the request's `max-age`. With "max-age=0", by which clients ask for a validation, every
    // response is too old.
    let isTooOld = wishes.maxAge.map { freshness.age >= Double($0) } ?? false
    // RFC 9111, 5.2.1.3: the response has less freshness left than the request's `min-fresh` demands.
    let isTooNearItsEnd = wishes.minFresh.map { freshness.lifetime - freshness.age < Double($0) } ?? false
    if isTooNearItsEnd { return validation(stored, request, .requestMinFresh) }
    if freshness.isFresh, !isTooOld { return (.use, .fresh) }
    // RFC 9111, 5.2.2.2: "once the response has become stale, a cache MUST NOT reuse that response … until it has been successfully validated".
    if control.mustRevalidate, !freshness.isFresh { return validation(stored, request, .staleMustRevalidate) }
    // RFC 9111, 5.2.1.2: `max-stale` counts from the end of the lifetime that the client grants, which the request's own `max-age` may shorten.
    let granted = wishes.maxAge.map { min(freshness.lifetime, Double($0)) } ?? freshness.lifetime
    switch wishes.maxStale {
    case .any: return (.use, .requestMaxStale)
    case .seconds(let seconds) where freshness.age - granted <= Double(seconds): return (.use, .requestMaxStale)
    case .seconds, .none: break
    }
    if !isTooOld, let window = control.staleWhileRevalidate, freshness.staleness <= Double(window) {
      return (.useAndRevalidate, .staleWhileRevalidate)
    }
    return validation(stored, request, isTooOld ? .requestMaxAge : .stale)
  }

  private static func validation(
    _ stored: StoredFacts?, _ request: LoadRequest, _ reason: CacheReason
  ) -> (decision: CacheDecision, reason: CacheReason) {
    guard let stored else { return (.fetch, .nothingStored) }
    // A response to HEAD has no body whose transfer a validation could save.
    guard request.method == "GET" else { return (.fetch, reason) }
    let conditions = conditions(of: stored.head)
    return conditions.isEmpty ? (.fetch, .noValidator) : (.validate(conditions), reason)
  }

  /// RFC 9111, 4.3.1: the stored response's validators, both where there are both, as received.
  package static func conditions(of head: ResponseHead) -> HeaderFields {
    var fields = HeaderFields()
    if let tag = head.headers.first("ETag"), !tag.isEmpty { fields.add("If-None-Match", tag) }
    if let date = head.headers.first("Last-Modified"), !date.isEmpty { fields.add("If-Modified-Since", date) }
    return fields
  }

  /// Whether a stale response may be used in place of an error, because `stale-if-error` of the response or of the request allows it (RFC 5861,
  /// 4). Not where the client asked for an answer that is validated, fresh or not stored.
  package static func mayServeOnError(now: Date, request: LoadRequest, policy: Policy, stored: StoredFacts) -> Bool {
    if policy == .reloadRevalidatingCacheData { return false }
    let control = stored.reading.control
    guard !control.mustRevalidate, !control.noCache else { return false }
    let wishes = CacheControl(request.headers)
    guard !wishes.noCache, !wishes.noStore, wishes.minFresh == nil else { return false }
    if !wishes.isPresent, request.headers.listContains("Pragma", token: "no-cache") { return false }
    guard let window = [control.staleIfError, wishes.staleIfError].compactMap({ $0 }).max() else { return false }
    return FreshnessRules.freshness(stored, now: now).staleness <= Double(window)
  }

  /// RFC 5861, 4: the statuses that count as errors.
  package static func isServerFailure(_ status: Int) -> Bool {
    switch status {
    case 500, 502, 503, 504: true
    default: false
    }
  }
}
