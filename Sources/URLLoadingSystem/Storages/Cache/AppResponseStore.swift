import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import Stores

/// The response store of a load whose session has a subclass of `URLCache`: each look-up and each response calls the methods that the app may have
/// overridden.
///
/// Those methods are the app's code, so they run on the delegate queue. They take tasks and whole bodies, and return one response for a request: the
/// app decides which one matches. Made for one load and confined to it.
final class AppResponseStore: ResponseStore {
  private let cache: URLCache
  private let load: TaskLoad
  private let task: URLSessionDataTask
  let capacity: Int64

  /// - Parameter capacity: Bytes: the cache's memory or disk capacity, whichever is larger.
  init?(_ cache: URLCache, capacity: Int64, _ load: TaskLoad) {
    guard let task = load.task as? URLSessionDataTask else { return nil }
    self.cache = cache
    self.load = load
    self.task = task
    self.capacity = capacity
  }

  func holdsNothing(for target: Target) -> Bool { false }

  func candidates(for url: String) -> [StoredResponse]? { nil }

  nonisolated(nonsending) func loadCandidates(for url: String) async -> [StoredResponse] {
    let (cache, task) = (cache, task)
    do throws(LoadError) {
      let found = try await AppWait<CachedURLResponse?>.ask(load.context) { wait in
        load.pump.post { cache.getCachedResponse(for: task) { wait.answer($0) } }
      }
      return found.map { [StoredResponse($0, url: url)] } ?? []
    } catch {
      // The load was interrupted while waiting; the calling stage notices that itself.
      return []
    }
  }

  func immediateBody(_ response: StoredResponse) -> Data? { (response.object as? CachedURLResponse)?.data }

  nonisolated(nonsending) func openBody(_ response: StoredResponse) async -> (any StoredBody)? { nil }

  func beginStoring(_ response: StoredResponse, expectedLength: Int64?) -> (any BodyWriter)? {
    guard response.storagePolicy != Int(URLCache.StoragePolicy.notAllowed.rawValue), expectedLength ?? 0 <= capacity / 20 else {
      return nil
    }
    return Writer(self, limit: Int(clamping: capacity / 20))
  }

  func update(_ response: StoredResponse, head: ResponseHead, requestTime: Date, responseTime: Date) {
    guard let known = response.object as? CachedURLResponse else { return }
    var updated = response
    updated.head = head
    store(updated, known.data, known)
  }

  func remove(_ response: StoredResponse) {
    let (cache, task) = (cache, task)
    load.pump.post { cache.removeCachedResponse(for: task) }
  }

  func removeAll(url: String) {
    guard let url = URL(string: url) else { return }
    let cache = cache
    load.pump.post { cache.removeCachedResponse(for: URLRequest(url: url)) }
  }

  /// Passes a response to `storeCachedResponse` on the delegate queue. `answer` is the delegate's version from `willCacheResponse`, if it was asked.
  private func store(_ response: StoredResponse, _ body: Data, _ answer: CachedURLResponse?) {
    guard let url = response.responseURL.flatMap({ URL(string: $0) }) ?? task.currentRequest?.url ?? URL(string: response.url) else {
      return
    }
    let isEncoded = response.head.headers.contains("Content-Encoding")
    var http = LoadResponse(url: url, kind: .http(response.head), expectedLength: isEncoded ? -1 : Int64(body.count))
    http.sniff(body)
    let cached = CachedURLResponse(
      response: URLResponse.make(http), data: body, userInfo: answer?.userInfo, storagePolicy: answer?.storagePolicy ?? .allowed)
    let (cache, task) = (cache, task)
    load.pump.post { cache.storeCachedResponse(cached, for: task) }
  }

  /// Collects a body in memory until it is complete, since `URLCache`'s methods take whole bodies; gives up beyond `limit` bytes.
  private final class Writer: BodyWriter, @unchecked Sendable {
    // @unchecked: `body` is used by one load, which awaits each call before the next; the rest is immutable.
    private let store: AppResponseStore
    private let limit: Int
    private var body = Data()

    init(_ store: AppResponseStore, limit: Int) {
      self.store = store
      self.limit = limit
    }

    var largestBody: Int64 { Int64(limit) }

    nonisolated(nonsending) func append(_ bytes: Data) async -> Bool {
      guard body.count + bytes.count <= limit else {
        body = Data()
        return false
      }
      body.append(bytes)
      return true
    }

    nonisolated(nonsending) func commit(_ final: StoredResponse) async {
      // `CachedURLResponse` holds the data as the app sees it: decoded.
      guard let plain = DecodedContent.data(body, head: final.head, limit: Int(clamping: max(store.capacity, 1 << 20))) else {
        return
      }
      store.store(final, plain, final.object as? CachedURLResponse)
    }

    func abandon() { body = Data() }
  }
}

extension StoredResponse {
  /// Converts an app's cached response. Its data is decoded whatever its `Content-Encoding` says. The app vouches for its age: without a `Date` field
  /// it counts as received now.
  fileprivate init(_ cached: CachedURLResponse, url: String) {
    var head: ResponseHead
    if let http = cached.response as? HTTPURLResponse {
      head = http.head
    } else {
      head = ResponseHead(status: 200, headers: HeaderFields())
      if let type = cached.response.mimeType { head.headers.add("Content-Type", type) }
    }
    head.headers.remove("Content-Encoding")
    head.headers.remove("Vary")
    head.headers.set("Content-Length", String(cached.data.count))
    let now = Date()
    self.init(url: url, head: head, requestTime: now, responseTime: now, bodyLength: Int64(cached.data.count))
    storagePolicy = Int(cached.storagePolicy.rawValue)
    source = .app
    responseURL = cached.response.url?.absoluteString
    object = cached
  }
}
