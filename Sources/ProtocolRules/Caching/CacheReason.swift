/// The reason for a cache's decision, as a recorder shows it.
package enum CacheReason: String, Sendable, CaseIterable {
  /// Nothing is stored that fits the request.
  case nothingStored
  /// The cache policy of the request or of its session decided.
  case policy
  /// The stored response is younger than its lifetime.
  case fresh
  /// The stored response is older than its lifetime.
  case stale
  /// The stored response is stale, and its Cache-Control has must-revalidate.
  case staleMustRevalidate
  /// The stored response has been stale for less than its stale-while-revalidate allows.
  case staleWhileRevalidate
  /// The stored response's Cache-Control has no-cache.
  case responseNoCache
  /// There is nothing to validate the stored response with: no ETag, no Last-Modified.
  case noValidator
  /// Directives of the request's Cache-Control; Pragma: no-cache among them.
  case requestNoStore, requestNoCache, requestOnlyIfCached, requestMinFresh, requestMaxAge, requestMaxStale
}
