import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

struct URLCacheTests {
  private func request(_ url: String, headers: [String: String] = [:], method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  private func response(
    _ url: String, bytes: Int = 100, headers: [String: String] = [:], policy: URLCache.StoragePolicy = .allowed
  ) throws -> CachedURLResponse {
    let url = try #require(URL(string: url))
    let http = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers))
    return CachedURLResponse(response: http, data: Data(count: bytes), userInfo: nil, storagePolicy: policy)
  }

  private let page = "http://example.test/page"

  /// A response whose end uses the cache that it was in.
  private final class LeavingResponse: CachedURLResponse, @unchecked Sendable {
    private let leave: @Sendable () -> Void

    init(_ response: URLResponse, _ leave: @escaping @Sendable () -> Void) {
      self.leave = leave
      super.init(response: response, data: Data(count: 100))
    }

    required init?(coder: NSCoder) { return nil }

    deinit { leave() }
  }

  @Test(arguments: ["replaced", "removed", "evicted"]) func responseThatLeavesTheCacheMayUseIt(_ way: String) async throws {
    let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 0)
    let (ends, ended) = AsyncStream.makeStream(of: Int.self)
    let http = try response(page).response
    cache.storeCachedResponse(LeavingResponse(http) { ended.yield(cache.currentMemoryUsage) }, for: try request(page))
    #expect(cache.cachedResponse(for: try request(page)) is LeavingResponse)
    switch way {
    case "replaced": cache.storeCachedResponse(try response(page, bytes: 1000), for: try request(page))
    case "removed": cache.removeAllCachedResponses()
    default: cache.memoryCapacity = 0
    }
    var iterator = ends.makeAsyncIterator()
    let usage = try #require(await iterator.next())
    #expect(way == "replaced" ? usage >= 1000 : usage == 0)
  }

  /// A cache whose end asks for the shared one.
  fileprivate final class LeavingCache: URLCache, @unchecked Sendable {
    deinit { _ = URLCache.shared }
  }

  /// In a process of its own, because other tests compare the shared cache.
  @Test func cacheThatIsNotSharedAnyMoreMayAskForTheSharedOne() async {
    await #expect(processExitsWith: .success) {
      URLCache.shared = LeavingCache(memoryCapacity: 0, diskCapacity: 0, directory: nil)
      URLCache.shared = URLCache(memoryCapacity: 0, diskCapacity: 0, directory: nil)
    }
  }

  @Test func storedResponsesAreFoundByURLWithoutFragment() throws {
    let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 0)
    let stored = try response(page)
    cache.storeCachedResponse(stored, for: try request(page + "#one"))
    #expect(cache.cachedResponse(for: try request(page + "#two")) === stored)
    #expect(cache.cachedResponse(for: try request(page + "?q")) == nil)
    #expect(cache.cachedResponse(for: try request(page, method: "POST")) == nil)
    #expect(cache.currentMemoryUsage >= 100)
    #expect(cache.currentDiskUsage == 0)
  }

  @Test func onlyAllowedGETResponsesThatFitAreStored() throws {
    let cache = URLCache(memoryCapacity: 1000, diskCapacity: 0)
    cache.storeCachedResponse(try response(page), for: try request(page, method: "POST"))
    cache.storeCachedResponse(try response(page, policy: .notAllowed), for: try request(page))
    cache.storeCachedResponse(try response(page, bytes: 2000), for: try request(page))
    #expect(cache.currentMemoryUsage == 0)
    cache.storeCachedResponse(try response(page, policy: .allowedInMemoryOnly), for: try request(page))
    #expect(cache.cachedResponse(for: try request(page)) != nil)
    cache.storeCachedResponse(try response(page, bytes: 2000), for: try request(page))
    #expect(cache.cachedResponse(for: try request(page)) == nil, "an outdated response must not outlive its successor")
  }

  @Test func capacityDropsWhatWasUnusedLongest() throws {
    let cache = URLCache(memoryCapacity: 3500, diskCapacity: 0)
    let pages = (0..<4).map { "http://example.test/\($0)" }
    for page in pages[..<3] { cache.storeCachedResponse(try response(page, bytes: 1000), for: try request(page)) }
    _ = cache.cachedResponse(for: try request(pages[0]))
    cache.storeCachedResponse(try response(pages[3], bytes: 1000), for: try request(pages[3]))
    #expect(try pages.map { cache.cachedResponse(for: try request($0)) != nil } == [true, false, true, true])
    cache.memoryCapacity = 1500
    #expect(try pages.map { cache.cachedResponse(for: try request($0)) != nil } == [false, false, false, true])
    cache.memoryCapacity = 0
    #expect(cache.currentMemoryUsage == 0)
  }

  @Test func varyingRequestsDoNotFindTheResponse() throws {
    let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 0)
    let german = try request(page, headers: ["Accept-Language": "de"])
    cache.storeCachedResponse(try response(page, headers: ["Vary": "Accept-Language, X-Other"]), for: german)
    #expect(cache.cachedResponse(for: german) != nil)
    #expect(cache.cachedResponse(for: try request(page, headers: ["Accept-Language": "en"])) == nil)
    #expect(cache.cachedResponse(for: try request(page, headers: ["Accept-Language": "de", "X-Other": "1"])) == nil)
    // The app can't know what a session would fill in.
    #expect(cache.cachedResponse(for: try request(page)) != nil)
    cache.storeCachedResponse(try response(page, headers: ["Vary": "*"]), for: german)
    #expect(cache.cachedResponse(for: try request(page, headers: ["Accept-Language": "en"])) == nil)
  }

  @Test func variantsOfOneURLAreKeptApart() throws {
    let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 0)
    for language in ["de", "en"] {
      cache.storeCachedResponse(
        try response(page, headers: ["Vary": "Accept-Language", "Content-Language": language]),
        for: try request(page, headers: ["Accept-Language": language]))
    }
    for language in ["de", "en"] {
      let found = cache.cachedResponse(for: try request(page, headers: ["Accept-Language": language]))
      #expect((found?.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Language") == language)
    }
    cache.removeCachedResponse(for: try request(page))
    #expect(cache.currentMemoryUsage == 0)
  }

  @Test func removalIsByRequestDateOrAll() throws {
    let seconds = Mutex(1000.0)
    let cache = URLCache(memoryOnly: 10_000, now: { Date(timeIntervalSince1970: seconds.withLock { $0 }) })
    let pages = (0..<3).map { "http://example.test/\($0)" }
    for page in pages {
      cache.storeCachedResponse(try response(page), for: try request(page))
      seconds.withLock { $0 += 1 }
    }
    cache.removeCachedResponses(since: Date(timeIntervalSince1970: 1001))
    #expect(try pages.map { cache.cachedResponse(for: try request($0)) != nil } == [true, true, false])
    cache.removeCachedResponse(for: try request(pages[0]))
    #expect(cache.cachedResponse(for: try request(pages[0])) == nil)
    cache.removeAllCachedResponses()
    #expect(cache.currentMemoryUsage == 0)
  }

  @Test func capacitiesAreKept() {
    let cache = URLCache(memoryCapacity: 1, diskCapacity: 2, directory: nil)
    #expect(cache.memoryCapacity == 1)
    #expect(cache.diskCapacity == 2)
    cache.diskCapacity = 3
    #expect(cache.diskCapacity == 3)
    #expect(URLCache().memoryCapacity == 0)
    #expect(URLCache.shared.memoryCapacity == 512_000)
  }

  @Test func subclassesMayOverrideTheLookup() throws {
    final class Fixed: URLCache, @unchecked Sendable {
      let fixed: CachedURLResponse
      init(_ fixed: CachedURLResponse) {
        self.fixed = fixed
        super.init()
      }
      override func cachedResponse(for request: URLRequest) -> CachedURLResponse? { fixed }
    }
    let stored = try response(page)
    #expect(Fixed(stored).cachedResponse(for: try request("http://other.test/")) === stored)
  }
}
