import Foundation
import LoadingModel

/// Keeps responses in memory and drops those unused longest when `memoryCapacity` is reached.
///
/// One response is kept for each URL; a request that differs in a field named by the response's `Vary` doesn't find it. Every member may be
/// used from any thread. Sessions call the members that take a task, so these are the ones for a subclass to override, as Apple documents.
open class URLCache: NSObject, @unchecked Sendable {
  // @unchecked: the stored properties are mutexes and constants; subclasses answer for what they add.

  /// Where a response may be stored.
  public enum StoragePolicy: UInt, Sendable {
    /// In memory and on disk.
    case allowed = 0
    /// In memory.
    case allowedInMemoryOnly = 1
    /// Nowhere.
    case notAllowed = 2
  }

  private struct State {
    var entries = LeastRecentlyUsed<CacheKey, CacheEntry>()
    var memoryCapacity: Int
    var diskCapacity: Int
  }

  /// Bytes of memory that `shared` may use.
  static let defaultMemoryCapacity = 512_000
  private static let defaultDiskCapacity = 10_000_000
  private static let sharedCache = Mutex(
    URLCache(memoryCapacity: defaultMemoryCapacity, diskCapacity: defaultDiskCapacity, directory: nil))

  private let state: Mutex<State>
  private let now: @Sendable () -> Date

  init(memoryCapacity: Int, diskCapacity: Int, now: @escaping @Sendable () -> Date) {
    state = Mutex(State(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity))
    self.now = now
    super.init()
  }

  /// A cache that stores nothing until it is given a capacity.
  public override init() {
    state = Mutex(State(memoryCapacity: 0, diskCapacity: 0))
    now = { Date() }
    super.init()
  }

  /// A cache. See `init(memoryCapacity:diskCapacity:directory:)`; `path` isn't used.
  @available(*, deprecated, message: "Use init(memoryCapacity:diskCapacity:directory:).")
  public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
    state = Mutex(State(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity))
    now = { Date() }
    super.init()
  }

  /// A cache.
  ///
  /// - Parameters:
  ///   - memoryCapacity: Bytes of memory to use; 0 stores nothing.
  ///   - diskCapacity: Bytes of disk. Kept as a number; responses live in memory.
  ///   - directory: Not used.
  public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
    self.init(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, now: { Date() })
  }

  /// The cache of the process: 512 000 bytes of memory. Configurations made after it is set have the new one.
  open class var shared: URLCache {
    get { sharedCache.withLock { $0 } }
    set { sharedCache.withLock { $0 = newValue } }
  }

  /// The response stored for `request`, whatever its age; nil if there is none.
  open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
    guard let key = CacheKey(request), let entry = state.withLock({ $0.entries.value(key) }), entry.isSelected(by: request) else {
      return nil
    }
    return entry.response
  }

  /// Stores a response for `request`, in place of the one for the same URL.
  ///
  /// Nothing is stored if the response forbids it, if the method isn't GET, or if the response is larger than the cache.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
    guard cachedResponse.storagePolicy != .notAllowed, let key = CacheKey(request) else { return }
    let entry = CacheEntry(cachedResponse, for: request, at: now())
    let cost = entry.cost
    state.withLock {
      // The older response is outdated even where the new one doesn't fit.
      $0.entries.remove(key)
      guard cost <= $0.memoryCapacity else { return }
      $0.entries.set(key, entry, cost: cost)
      $0.entries.shrink(to: $0.memoryCapacity)
    }
  }

  /// Drops the response stored for `request`.
  open func removeCachedResponse(for request: URLRequest) {
    guard let key = CacheKey(request) else { return }
    state.withLock { $0.entries.remove(key) }
  }

  /// Drops every response.
  open func removeAllCachedResponses() {
    state.withLock { $0.entries.removeAll() }
  }

  /// Drops the responses stored after `date`.
  open func removeCachedResponses(since date: Date) {
    state.withLock { $0.entries.removeAll { $0.storedAt > date } }
  }

  /// Bytes of memory to use. A lower number drops what no longer fits.
  open var memoryCapacity: Int {
    get { state.withLock { $0.memoryCapacity } }
    set {
      state.withLock {
        $0.memoryCapacity = newValue
        $0.entries.shrink(to: newValue)
      }
    }
  }

  /// Bytes of disk. Kept as a number; responses live in memory.
  open var diskCapacity: Int {
    get { state.withLock { $0.diskCapacity } }
    set { state.withLock { $0.diskCapacity = newValue } }
  }

  /// Bytes of memory in use: bodies, header fields and URLs.
  open var currentMemoryUsage: Int { state.withLock { $0.entries.totalCost } }

  /// Bytes of disk in use: 0, since responses live in memory.
  open var currentDiskUsage: Int { 0 }

  /// Stores the response of a task. The base class forwards to the form that takes the task's current request.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
    guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
    storeCachedResponse(cachedResponse, for: request)
  }

  /// Looks up the response for a task. The base class forwards to the form that takes the task's current request.
  open func getCachedResponse(
    for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    let request = dataTask.currentRequest ?? dataTask.originalRequest
    completionHandler(request.flatMap { cachedResponse(for: $0) })
  }

  /// Looks up the response for a task. The base class forwards to the form with a completion handler.
  open func cachedResponse(for dataTask: URLSessionDataTask) async -> CachedURLResponse? {
    await withCheckedContinuation { continuation in
      getCachedResponse(for: dataTask) { continuation.resume(returning: $0) }
    }
  }

  /// Drops the response for a task. The base class forwards to the form that takes the task's current request.
  open func removeCachedResponse(for dataTask: URLSessionDataTask) {
    guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
    removeCachedResponse(for: request)
  }
}
