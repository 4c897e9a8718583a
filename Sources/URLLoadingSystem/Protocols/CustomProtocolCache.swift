import Foundation
import LoadingModel
import ProtocolRules

/// The session's cache for a load by an app's `URLProtocol` class: finds the stored response that the instance is shown, and stores responses that
/// the instance allows to be stored.
///
/// The class decides whether a stored response is used. Owned by the load's client. A subclass of `URLCache` is called on the delegate queue, through
/// its methods that take a task.
struct CustomProtocolCache: @unchecked Sendable {
  // @unchecked: immutable: a cache and a task, which are thread-safe, and a load, of which `find` and `ask` use what is immutable on any
  // thread, and the rest what is confined to its event loop, there.
  private let cache: URLCache
  private let task: URLSessionDataTask
  private let load: TaskLoad

  /// The result of a look-up that calls no code of the app's.
  enum Answer {
    case known(CachedURLResponse?)
    /// The cache is a subclass of `URLCache`, which has to be asked by `ask(_:)`.
    case mustAsk
  }

  /// nil if the session has no cache, and for downloads, whose bodies aren't cached.
  init?(_ load: TaskLoad) {
    guard let cache = load.session.settings.urlCache, let task = load.task as? URLSessionDataTask else { return nil }
    self.cache = cache
    self.task = task
    self.load = load
  }

  private var isSubclass: Bool { type(of: cache) != URLCache.self }

  /// Finds the response stored for `request`, whatever its age, if the request's cache policy allows reading the cache. Called on the instance's
  /// thread, and may block on the disk.
  func find(_ request: URLRequest) -> Answer {
    let policy = CacheRules.policy(request: request.cachePolicy.rawValue, session: load.session.engine.settings.cachePolicy)
    guard policy.readsStore, request.httpMethod == "GET" else { return .known(nil) }
    return isSubclass ? .mustAsk : .known(cache.cachedResponse(for: request))
  }

  /// Asks a subclass of `URLCache` on the delegate queue; `then` runs on any thread.
  func ask(_ then: @escaping @Sendable (CachedURLResponse?) -> Void) {
    let (cache, task) = (cache, task)
    load.pump.post { cache.getCachedResponse(for: task, completionHandler: then) }
  }

  /// The length of the largest body that is stored, in bytes.
  var largestBody: Int { Int(clamping: StorageRules.largestBody(capacity: capacity)) }

  private var capacity: Int64 { load.session.engine.settings.cache?.store(for: load, load.context)?.capacity ?? 0 }

  /// Stores a complete response, unless HTTP's rules or the delegate's `willCacheResponse` forbid it.
  nonisolated(nonsending) func store(
    _ response: URLResponse, _ policy: URLCache.StoragePolicy, _ body: Data, for request: URLRequest
  ) async {
    let decision = StorageRules.decide(
      request: request.load, head: CacheAddress.head(response), bodyLength: Int64(body.count), capacity: capacity,
      receivedAt: load.context.clock.date)
    // The delegate may have turned the data task into a download meanwhile.
    guard decision.isStorable, load.file == nil else { return }
    let proposed = CachedURLResponse(response: response, data: body, storagePolicy: policy)
    let answer = load.cachingReview == nil ? proposed : await load.review(proposed, of: task)
    guard let answer, answer.storagePolicy != .notAllowed else { return }
    guard isSubclass else { return cache.storeCachedResponse(answer, for: request) }
    let (cache, task) = (cache, task)
    load.pump.post { cache.storeCachedResponse(answer, for: task) }
  }
}

/// Collects the body of a response by an app's `URLProtocol` class, to store it in the cache. Confined to the load that reads the body.
struct CustomProtocolStoring {
  private let response: URLResponse
  private let policy: URLCache.StoragePolicy
  private let limit: Int
  private var body = Data()

  /// nil if the class's storage policy doesn't allow storing.
  init?(_ response: URLResponse, _ policy: URLCache.StoragePolicy, limit: Int) {
    guard policy != .notAllowed, limit > 0 else { return nil }
    self.response = response
    self.policy = policy
    self.limit = limit
  }

  /// Appends a piece; returns false if the body has become too long to be stored.
  mutating func append(_ data: Data) -> Bool {
    guard data.count <= limit - body.count else { return false }
    body.append(data)
    return true
  }

  /// Stores the response, now that the body is complete.
  nonisolated(nonsending) func finish(_ cache: CustomProtocolCache, _ request: URLRequest) async {
    await cache.store(response, policy, body, for: request)
  }
}
