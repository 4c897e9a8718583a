/// What a cache's decision follows from, as a recorder shows it.
package enum CacheReason: String, Sendable, CaseIterable {
  /// Nothing is stored that fits the request.
  case nothingStored
  /// The request's cache policy, or its session's.
  case policy
  /// The stored response is younger than its lifetime.
  case fresh
  /// The stored response is older than its lifetime.
  case stale
  /// The same, and its Cache-Control has must-revalidate.
  case staleMustRevalidate
  /// It is stale for less than its stale-while-revalidate.
  case staleWhileRevalidate
  /// The stored response's Cache-Control has no-cache.
  case responseNoCache
  /// There is nothing to validate the stored response with: no ETag, no Last-Modified.
  case noValidator
  /// Directives of the request's Cache-Control; Pragma: no-cache among them.
  case requestNoStore, requestNoCache, requestOnlyIfCached, requestMinFresh, requestMaxAge, requestMaxStale
}
