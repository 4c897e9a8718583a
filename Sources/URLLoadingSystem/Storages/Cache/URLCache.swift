import Foundation
import LoadingModel
import Stores

/// Keeps responses, in memory and on disk, and drops those unused longest when a capacity is reached.
///
/// Several responses are kept for a URL if they differ in the request fields that their `Vary` names. What sessions store and what the app
/// stores are the same entries: either finds what the other has put there. Several caches, in one process or several, may use one
/// directory at a time; each keeps the disk within its own capacity. The disk follows memory after a moment, and survives the end of the
/// process by whatever means. Where the directory can't be written, the cache lives in memory alone.
///
/// Every member may be used from any thread. The members that look for a response wait for the disk if memory doesn't know it. Sessions
/// call the members that take a task if the object's class is a subclass, so these are the ones to override, as Apple documents; an object
/// of this class itself they use directly.
open class URLCache: NSObject, @unchecked Sendable {
  // @unchecked: `store` is written by initialisers alone and thread-safe itself; subclasses answer for what they add.

  /// Whether a response may be stored in memory and on disk, in memory alone, or not at all.
  public enum StoragePolicy: UInt, Sendable {
    /// The response may be stored in memory and on disk.
    case allowed = 0
    /// In memory alone.
    case allowedInMemoryOnly = 1
    /// Nowhere: the response isn't stored.
    case notAllowed = 2
  }

  /// The memory capacity of `shared` in bytes: the same as on Apple's systems.
  static let defaultMemoryCapacity = 512_000
  private static let defaultDiskCapacity = 10_000_000
  private static let sharedCache = Mutex(
    URLCache(memoryCapacity: defaultMemoryCapacity, diskCapacity: defaultDiskCapacity, directory: nil))

  package private(set) final var store: ResponseCache

  /// Not a designated initialiser: an internal one would keep subclasses in other modules from inheriting the public ones.
  convenience init(store: ResponseCache) {
    self.init()
    self.store = store
  }

  /// A cache in memory alone, with the clock `now`, for tests.
  convenience init(memoryOnly capacity: Int, now: @escaping @Sendable () -> Date) {
    self.init(store: ResponseCache(memoryCapacity: capacity, diskCapacity: 0, directory: nil, now: now))
  }

  /// A cache in memory alone, whatever its `diskCapacity` is set to: that of an ephemeral session.
  convenience init(memoryOnly capacity: Int) {
    self.init(store: ResponseCache(memoryCapacity: capacity, diskCapacity: 0, directory: nil))
  }

  /// A cache that stores nothing until it is given a capacity; its directory is the default one.
  public override init() {
    store = ResponseCache(memoryCapacity: 0, diskCapacity: 0, directory: StoreLocation.standard.caches)
    super.init()
  }

  /// A cache with a directory given as a path.
  ///
  /// - Parameters:
  ///   - memoryCapacity: Bytes of memory to use; 0 for none.
  ///   - diskCapacity: Bytes of disk to use; 0 for none.
  ///   - path: The directory: an absolute path, or one below the app's cache directory; nil for that directory itself.
  @available(*, deprecated, message: "Use init(memoryCapacity:diskCapacity:directory:).")
  public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
    store = ResponseCache(
      memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, directory: URLCache.directory(path))
    super.init()
  }

  private static func directory(_ path: String?) -> URL {
    guard let path, !path.isEmpty else { return StoreLocation.standard.caches }
    if path.hasPrefix("/") { return URL(filePath: path, directoryHint: .isDirectory) }
    return StoreLocation.standard.caches.appending(path: path, directoryHint: .isDirectory)
  }

  /// A cache with a directory given as a URL.
  ///
  /// - Parameters:
  ///   - memoryCapacity: Bytes of memory to use; 0 for none.
  ///   - diskCapacity: Bytes of disk to use; 0 for none.
  ///   - directory: The directory on disk, made at first use. nil: that of `shared`, which is `$XDG_CACHE_HOME` or `~/.cache`, and in it
  ///     the app's bundle identifier or the process's name; `$URL_LOADING_SYSTEM_HOME/caches` if that variable is set.
  public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
    self.init(
      store: ResponseCache(
        memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, directory: directory ?? StoreLocation.standard.caches))
  }

  /// The cache of the process: 512 000 bytes of memory and 10 000 000 of disk. Configurations made after it is set have the new one.
  open class var shared: URLCache {
    get { sharedCache.withLock { $0 } }
    set {
      // The former cache is released outside the lock: the `deinit` of a subclass may ask for the shared cache.
      let former = sharedCache.withLock { cache in
        defer { cache = newValue }
        return cache
      }
      withExtendedLifetime(former) {}
    }
  }

  /// The response stored for `request`, whatever its age; nil if there is none.
  ///
  /// The data is decoded, whatever `Content-Encoding` the response names. A field named by the response's `Vary` must be the same in
  /// `request`; those that a session fills in by itself, such as `Accept-Encoding`, may be absent there. nil for methods other than GET.
  open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
    guard let key = CacheAddress(request) else { return nil }
    guard let found = key.selected(from: store.candidatesNow(for: key.url)) else { return nil }
    return CachedURLResponse.make(found, in: store)
  }

  /// Stores a response for `request`, in place of the one it replaces: same URL, and same values of the fields named by `Vary`.
  ///
  /// Nothing is stored if the response forbids it, if the method isn't GET, or if the response is larger than the cache. The data is taken
  /// as decoded, whatever `Content-Encoding` the response names: sessions that use the response don't decode it again.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
    guard cachedResponse.storagePolicy != .notAllowed, let key = CacheAddress(request) else { return }
    store.store(key.stored(cachedResponse, at: store.now()), body: cachedResponse.data)
  }

  /// Drops the responses stored for the URL of `request`.
  open func removeCachedResponse(for request: URLRequest) {
    guard let key = CacheAddress(request) else { return }
    store.removeAll(url: key.url)
  }

  /// Drops every response.
  open func removeAllCachedResponses() { store.removeAll() }

  /// Drops the responses stored, or last confirmed by their server, after `date`.
  open func removeCachedResponses(since date: Date) { store.removeAll(after: date) }

  /// Bytes of memory to use. A lower number drops what no longer fits.
  open var memoryCapacity: Int {
    get { store.memoryCapacity }
    set { store.memoryCapacity = newValue }
  }

  /// Bytes of disk to use. A lower number drops what no longer fits, a moment later.
  open var diskCapacity: Int {
    get { store.diskCapacity }
    set { store.diskCapacity = newValue }
  }

  /// Bytes of memory in use: bodies, header fields and URLs.
  open var currentMemoryUsage: Int { store.memoryUsage }

  /// Bytes of disk in use by responses, once all that was stored so far is there. Waits for the disk.
  open var currentDiskUsage: Int { store.diskUsageNow() }

  /// Stores the response of a task. The base class forwards to the form that takes the task's current request.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
    guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
    storeCachedResponse(cachedResponse, for: request)
  }

  /// Looks up the response for a task. The base class forwards to the form that takes the task's current request.
  ///
  /// - Parameter completionHandler: Called once, at once if memory knows the answer, else on another thread.
  @preconcurrency
  open func getCachedResponse(
    for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return completionHandler(nil) }
    if let key = CacheAddress(request), store.candidates(for: key.url) == nil {
      URLCache.lookUps.async { completionHandler(self.cachedResponse(for: request)) }
    } else {
      completionHandler(cachedResponse(for: request))
    }
  }

  private static let lookUps = DispatchQueue(label: "URLLoadingSystem.cache.app", qos: .userInitiated)

  /// Looks up the response for a task. The base class forwards to the form with a completion handler.
  open func cachedResponse(for dataTask: URLSessionDataTask) async -> CachedURLResponse? {
    await firstAnswer { getCachedResponse(for: dataTask, completionHandler: $0) }
  }

  /// Drops the response for a task. The base class forwards to the form that takes the task's current request.
  open func removeCachedResponse(for dataTask: URLSessionDataTask) {
    guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
    removeCachedResponse(for: request)
  }
}
