import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

/// A cache on disk, looked at through a second object on the same directory: it has nothing in memory.
struct URLCacheDiskTests {
  private let page = "http://example.test/page"

  private func request(_ url: String) throws -> URLRequest { URLRequest(url: try #require(URL(string: url))) }

  private func response(_ url: String, _ body: Data, headers: [String: String] = [:], userInfo: [AnyHashable: Any]? = nil) throws
    -> CachedURLResponse
  {
    let url = try #require(URL(string: url))
    let http = try #require(HTTPURLResponse(url: url, statusCode: 203, httpVersion: "HTTP/1.1", headerFields: headers))
    return CachedURLResponse(response: http, data: body, userInfo: userInfo, storagePolicy: .allowed)
  }

  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "urlcache-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
  }

  private func cache(_ directory: URL) -> URLCache { URLCache(memoryCapacity: 100_000, diskCapacity: 4_000_000, directory: directory) }

  @Test(arguments: [0, 100, 100_000]) func responsesOutliveTheObject(size: Int) async throws {
    try await withDirectory { directory in
      let first = cache(directory)
      let stored = try response(page, Data(repeating: 7, count: size), headers: ["ETag": "\"1\"", "X-A": "b"], userInfo: ["n": 3])
      first.storeCachedResponse(stored, for: try request(page + "#part"))
      #expect(first.cachedResponse(for: try request(page))?.data == stored.data)
      await first.flush()
      let second = cache(directory)
      let found = try #require(second.cachedResponse(for: try request(page)))
      #expect(found.data == stored.data)
      #expect(found.userInfo?["n"] as? Int == 3)
      let http = try #require(found.response as? HTTPURLResponse)
      #expect(http.statusCode == 203)
      #expect(http.url?.absoluteString == page)
      #expect(http.value(forHTTPHeaderField: "x-a") == "b")
      #expect(second.currentDiskUsage >= size)
      #expect(second.diskFailure == nil)
      second.removeAllCachedResponses()
      #expect(second.currentDiskUsage == 0)
      #expect(first.cachedResponse(for: try request(page)) == nil)
    }
  }

  @Test func plainResponsesStayPlain() async throws {
    try await withDirectory { directory in
      let url = try #require(URL(string: page))
      let plain = URLResponse(url: url, mimeType: "text/css", expectedContentLength: 3, textEncodingName: "utf-8")
      let first = cache(directory)
      first.storeCachedResponse(CachedURLResponse(response: plain, data: Data("a{}".utf8)), for: try request(page))
      await first.flush()
      let found = try #require(cache(directory).cachedResponse(for: try request(page)))
      #expect(!(found.response is HTTPURLResponse))
      #expect(found.response == plain)
      #expect(found.data == Data("a{}".utf8))
    }
  }

  @Test func dataWithTheFieldsOfItsCodedFormComesBackAsItWas() async throws {
    try await withDirectory { directory in
      let fields = ["Content-Encoding": "gzip", "Content-Length": "17", "Vary": "Accept-Encoding", "Cache-Control": "max-age=100"]
      let first = cache(directory)
      first.storeCachedResponse(try response(page, Data("plain".utf8), headers: fields), for: try request(page))
      await first.flush()
      for cache in [first, cache(directory)] {
        let found = try #require(cache.cachedResponse(for: try request(page)))
        #expect(found.data == Data("plain".utf8))
        let http = try #require(found.response as? HTTPURLResponse)
        #expect(http.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
        #expect(http.value(forHTTPHeaderField: "Vary") == "Accept-Encoding")
      }
    }
  }

  @Test func schemesOfTheAppsOwnHaveEntriesToo() throws {
    let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 0)
    let url = "app:page?x"
    cache.storeCachedResponse(try response(url, Data("own".utf8)), for: try request(url + "#top"))
    #expect(cache.cachedResponse(for: try request(url))?.data == Data("own".utf8))
    #expect(cache.cachedResponse(for: try request("app:other")) == nil)
  }

  @Test func urlsAreOneHoweverTheyAreWritten() throws {
    let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 0)
    cache.storeCachedResponse(try response("http://example.test/", Data("root".utf8)), for: try request("HTTP://ada@Example.TEST:80"))
    #expect(cache.cachedResponse(for: try request("http://example.test/"))?.data == Data("root".utf8))
    #expect(cache.cachedResponse(for: try request("https://example.test/")) == nil)
  }

  @Test func entriesCanBeListedAndRemovedByURL() async throws {
    try await withDirectory { directory in
      let first = cache(directory)
      let fields = ["Content-Type": "text/html; charset=utf-8", "Cache-Control": "max-age=60"]
      first.storeCachedResponse(try response(page, Data(count: 100), headers: fields), for: try request(page))
      first.storeCachedResponse(try response(page + "2", Data(count: 20_000)), for: try request(page + "2"))
      await first.flush()
      let second = cache(directory)
      #expect(Set(second.entries().map(\.url.absoluteString)) == [page, page + "2"])
      #expect(second.entries(limit: 1).count == 1)
      let address = try #require(URL(string: page))
      let entry = try #require(second.entries(for: address).first)
      #expect(entry.statusCode == 203)
      #expect(entry.mimeType == "text/html")
      #expect(entry.bodySize == 100)
      // `Date` knows whole seconds.
      let lifetime = try #require(entry.expires).timeIntervalSince(entry.storedAt)
      #expect(lifetime > 58.9 && lifetime <= 60)
      #expect(entry.storagePolicy == .allowed)
      second.removeEntries(for: entry.url)
      #expect(second.entries().map(\.url.absoluteString) == [page + "2"])
    }
  }

  @available(*, deprecated) @Test func pathsAreAbsoluteOrBelowTheAppsCaches() async throws {
    try await withDirectory { directory in
      let absolute = URLCache(memoryCapacity: 0, diskCapacity: 1_000_000, diskPath: directory.path(percentEncoded: false))
      absolute.storeCachedResponse(try response(page, Data("x".utf8)), for: try request(page))
      #expect(absolute.currentDiskUsage > 0)
      #expect(FileManager.default.fileExists(atPath: directory.appending(path: "Cache.db").path()))
      #expect(cache(directory).cachedResponse(for: try request(page)) != nil)
    }
  }

  @Test func aDirectoryThatCannotBeMadeLeavesMemory() throws {
    let nowhere = URL(filePath: "/dev/null/cache", directoryHint: .isDirectory)
    let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 1_000_000, directory: nowhere)
    cache.storeCachedResponse(try response(page, Data("x".utf8)), for: try request(page))
    #expect(cache.currentDiskUsage == 0)
    #expect(cache.diskFailure != nil)
    #expect(cache.cachedResponse(for: try request(page)) != nil)
  }

  @Test func taskLookUpsAnswerOnce() async throws {
    try await withDirectory { directory in
      let first = cache(directory)
      first.storeCachedResponse(try response(page, Data("x".utf8)), for: try request(page))
      await first.flush()
      let session = URLSession(configuration: .ephemeral)
      defer { session.invalidateAndCancel() }
      let task = session.dataTask(with: try request(page))
      let second = cache(directory)
      #expect(await second.cachedResponse(for: task)?.data == Data("x".utf8))
      second.removeCachedResponse(for: task)
      #expect(await second.cachedResponse(for: task) == nil)
      second.storeCachedResponse(try response(page, Data("y".utf8)), for: task)
      #expect(await second.cachedResponse(for: task)?.data == Data("y".utf8))
    }
  }
}
