import Foundation
import LoadingModel
import ProtocolRules

/// The session's cache as a load by an app's protocol class uses it: it shows the instance what is stored, and stores what the instance
/// allows to be.
///
/// The class decides whether what is stored may answer. Owned by the load's client. A subclass of `URLCache` is asked through the methods
/// that take the task, where the delegate is called.
struct CustomProtocolCache: @unchecked Sendable {
  // @unchecked: immutable: a cache and a task, which are thread-safe, and a load, of which `find` and `ask` use what is immutable on any
  // thread, and the rest what is confined to its event loop, there.
  private let cache: URLCache
  private let task: URLSessionDataTask
  private let load: TaskLoad

  /// What is known of a request's response without asking the app.
  enum Answer {
    case known(CachedURLResponse?)
    /// The cache is the app's own class.
    case mustAsk
  }

  /// nil if the session has no cache, and for downloads: what goes into a file isn't cached.
  init?(_ load: TaskLoad) {
    guard let cache = load.session.settings.urlCache, let task = load.task as? URLSessionDataTask else { return nil }
    self.cache = cache
    self.task = task
    self.load = load
  }

  private var isSubclass: Bool { type(of: cache) != URLCache.self }

  /// What is stored for `request`, whatever its age, if its cache policy lets what is stored be used. Called on the instance's thread,
  /// which may have to wait for the disk.
  func find(_ request: URLRequest) -> Answer {
    let policy = CacheRules.policy(request: request.cachePolicy.rawValue, session: load.session.engine.settings.cachePolicy)
    guard policy.readsStore, request.httpMethod == "GET" else { return .known(nil) }
    return isSubclass ? .mustAsk : .known(cache.cachedResponse(for: request))
  }

  /// Asks the app's own class; the answer comes on any thread.
  func ask(_ then: @escaping @Sendable (CachedURLResponse?) -> Void) {
    let (cache, task) = (cache, task)
    load.pump.post { cache.getCachedResponse(for: task, completionHandler: then) }
  }

  /// Bytes of the largest body that is stored.
  var largestBody: Int { Int(clamping: StorageRules.largestBody(capacity: capacity)) }

  private var capacity: Int64 { load.session.engine.settings.cache?.store(for: load, load.context)?.capacity ?? 0 }

  /// Stores a whole response, unless HTTP's rules or the app's delegate are against it.
  nonisolated(nonsending) func store(
    _ response: URLResponse, _ policy: URLCache.StoragePolicy, _ body: Data, for request: URLRequest
  ) async {
    let decision = StorageRules.decide(
      request: request.load, head: CacheAddress.head(response), bodyLength: Int64(body.count), capacity: capacity,
      receivedAt: load.context.clock.date)
    // The app may have made a download of it since.
    guard decision.isStorable, load.file == nil else { return }
    let proposed = CachedURLResponse(response: response, data: body, storagePolicy: policy)
    let answer = load.cachingReview == nil ? proposed : await load.review(proposed, of: task)
    guard let answer, answer.storagePolicy != .notAllowed else { return }
    guard isSubclass else { return cache.storeCachedResponse(answer, for: request) }
    let (cache, task) = (cache, task)
    load.pump.post { cache.storeCachedResponse(answer, for: task) }
  }
}

/// The response of an app's protocol class on its way into the cache. Confined to the load that reads the body.
struct CustomProtocolStoring {
  private let response: URLResponse
  private let policy: URLCache.StoragePolicy
  private let limit: Int
  private var body = Data()

  /// nil if the class doesn't allow it.
  init?(_ response: URLResponse, _ policy: URLCache.StoragePolicy, limit: Int) {
    guard policy != .notAllowed, limit > 0 else { return nil }
    self.response = response
    self.policy = policy
    self.limit = limit
  }

  /// Keeps a piece; false if the body has become too long to be stored.
  mutating func append(_ data: Data) -> Bool {
    guard data.count <= limit - body.count else { return false }
    body.append(data)
    return true
  }

  /// The body has ended.
  nonisolated(nonsending) func finish(_ cache: CustomProtocolCache, _ request: URLRequest) async {
    await cache.store(response, policy, body, for: request)
  }
}
