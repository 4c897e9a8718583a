import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What gets into the cache: whole bodies, within its size, as the app agrees.
@Suite(.timeLimit(.minutes(10))) struct CacheStorageTests {
  /// Answers `willCacheResponse` as told.
  private final class Reviewer: NSObject, URLSessionDataDelegate {
    private let answer: @Sendable (CachedURLResponse) -> CachedURLResponse?
    private let seen = Mutex<[Data]>([])

    init(_ answer: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?) { self.answer = answer }

    var proposals: [Data] { seen.withLock { $0 } }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      seen.withLock { $0.append(proposedResponse.data) }
      completionHandler(answer(proposedResponse))
    }
  }

  private func review(
    _ reply: Reply, _ answer: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?,
    _ check: (TestServer, CacheScene, [Data]) async throws -> Void
  ) async throws {
    try await CacheScene.with(delegate: Reviewer(answer)) { server, scene async throws in
      server.enqueue(reply, .text("again"))
      _ = try await scene.load(server.url("/a"))
      try await check(server, scene, try #require(scene.session.delegate as? Reviewer).proposals)
    }
  }

  @Test func appSeesTheWholeDecodedBodyBeforeItIsStored() async throws {
    try await review(.gzip(Data("hello".utf8), headers: ["Cache-Control": "max-age=60"]), { $0 }) { server, scene, proposals async throws in
      #expect(proposals == [Data("hello".utf8)])
      #expect(try await scene.load(server.url("/a")).text == "hello")
      #expect(server.requestCount == 1)
    }
  }

  @Test func appMayRefuse() async throws {
    try await review(.fields("one", ["Cache-Control": "max-age=60"]), { _ in nil }) { server, scene, proposals async throws in
      #expect(proposals.count == 1)
      #expect(try await scene.load(server.url("/a")).text == "again")
    }
  }

  @Test func appMayForbidByPolicy() async throws {
    let answer: @Sendable (CachedURLResponse) -> CachedURLResponse? = {
      CachedURLResponse(response: $0.response, data: $0.data, storagePolicy: .notAllowed)
    }
    try await review(.fields("one", ["Cache-Control": "max-age=60"]), answer) { server, scene, _ async throws in
      #expect(try await scene.load(server.url("/a")).text == "again")
    }
  }

  @Test func appMayChangeTheData() async throws {
    let answer: @Sendable (CachedURLResponse) -> CachedURLResponse? = {
      CachedURLResponse(response: $0.response, data: Data("other".utf8), userInfo: ["k": "v"], storagePolicy: .allowedInMemoryOnly)
    }
    try await review(.gzip(Data("hello".utf8), headers: ["Cache-Control": "max-age=60"]), answer) { server, scene, _ async throws in
      #expect(try await scene.load(server.url("/a")).text == "other")
      #expect(server.requestCount == 1)
      let cached = try #require(scene.cache.cachedResponse(for: URLRequest(url: server.url("/a"))))
      #expect(cached.data == Data("other".utf8))
      #expect(cached.userInfo?["k"] as? String == "v")
      #expect(cached.storagePolicy == .allowedInMemoryOnly)
    }
  }

  @Test func appMayChangeTheLifetime() async throws {
    let answer: @Sendable (CachedURLResponse) -> CachedURLResponse? = { proposed in
      guard let http = proposed.response as? HTTPURLResponse, let url = http.url else { return nil }
      var fields = http.allHeaderFields as? [String: String] ?? [:]
      fields["Cache-Control"] = "max-age=100"
      guard let changed = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields) else { return nil }
      return CachedURLResponse(response: changed, data: proposed.data)
    }
    try await review(.fields("one", ["Cache-Control": "max-age=0"]), answer) { server, scene, _ async throws in
      scene.clock.advance(by: 50)
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(server.requestCount == 1)
    }
  }

  @Test func nothingIsProposedThatWouldNotBeStored() async throws {
    try await review(.fields("one", ["Cache-Control": "no-store"]), { $0 }) { _, _, proposals in #expect(proposals.isEmpty) }
  }

  @Test func noStoreRemovesAnOlderResponse() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["ETag": "\"a\""]), .fields("two", ["Cache-Control": "no-store"]))
      _ = try await scene.load(server.url("/a"))
      _ = try await scene.load(server.url("/a"))
      #expect(scene.cache.cachedResponse(for: URLRequest(url: server.url("/a"))) == nil)
    }
  }

  @Test func truncatedBodyIsNotStored() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("0123456789", ["Cache-Control": "max-age=60"]).with(.disconnectAfterBodyBytes(5)),
        .fields("whole", ["Cache-Control": "max-age=60"]))
      #expect(await errorCode { _ = try await scene.load(server.url("/a")) } == NSURLErrorNetworkConnectionLost)
      #expect(try await scene.load(server.url("/a")).text == "whole")
    }
  }

  @Test func brokenCodingIsNotKept() async throws {
    try await CacheScene.with { server, scene async throws in
      let broken = Reply(headers: ["Content-Encoding": "gzip", "Cache-Control": "max-age=60"], body: .text("not gzip at all"))
      server.enqueue(broken, .fields("whole", ["Cache-Control": "max-age=60"]))
      #expect(await errorCode { _ = try await scene.load(server.url("/a")) } == NSURLErrorCannotDecodeRawData)
      #expect(try await scene.load(server.url("/a")).text == "whole")
    }
  }

  @Test func cancelledLoadLeavesNothing() async throws {
    try await CacheScene.with { server, scene async throws in
      let gate = server.gate("hold")
      server.enqueue(
        .fields("0123456789", ["Cache-Control": "max-age=60"]).with(.stallAfter(bodyBytes: 5, gate: gate)),
        .fields("whole", ["Cache-Control": "max-age=60"]))
      let log = CompletionLog()
      let task = scene.session.dataTask(with: server.url("/a"), completionHandler: log.handler)
      task.resume()
      _ = try await server.waitForRequest(1)
      task.cancel()
      #expect(await log.call().code == NSURLErrorCancelled)
      #expect(try await scene.load(server.url("/a")).text == "whole")
    }
  }

  @Test(arguments: [(199_999, 1), (200_001, 2)])
  func aTwentiethOfTheCacheIsTheLimit(length: Int, requests: Int) async throws {
    try await CacheScene.with { server, scene async throws in
      for framing in [Reply.Framing.contentLength, .chunked] {
        let path = "/\(framing)"
        server.route(path, reply: Reply(headers: ["Cache-Control": "max-age=60"], body: .pattern(count: length), framing: framing))
        let before = server.requestCount
        for _ in 0..<2 { #expect(try await scene.load(server.url(path)).text.utf8.count == length) }
        #expect(server.requestCount - before == requests)
      }
    }
  }

  @Test func longBodyIsServedPieceByPieceAsItWasReceived() async throws {
    try await CacheScene.with(cache: URLCache(memoryCapacity: 100_000_000, diskCapacity: 0)) { server, scene async throws in
      server.route("/a", reply: Reply(headers: ["Cache-Control": "max-age=60"], body: .pattern(count: 3_000_000)))
      let first = try await scene.record(URLRequest(url: server.url("/a")))
      let second = try await scene.record(URLRequest(url: server.url("/a")))
      #expect(first.body == second.body)
      #expect(second.body.count == 3_000_000)
      #expect(server.requestCount == 1)
      let part = try await scene.load(server.url("/a"), ["Range": "bytes=2999990-"])
      #expect(Data(part.text.utf8) == first.body.suffix(10))
    }
  }

  @Test func twoLoadsAtOnceBothGoToTheServer() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a", reply: .fields("one", ["Cache-Control": "max-age=60"]))
      async let first = scene.load(server.url("/a"))
      async let second = scene.load(server.url("/a"))
      #expect(try await [first.text, second.text] == ["one", "one"])
      let count = server.requestCount
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(server.requestCount == count)
    }
  }

  /// A cache of the app's own making: every access calls its overrides.
  private final class OwnCache: URLCache, @unchecked Sendable {
    private let kept = Mutex<[URL: CachedURLResponse]>([:])
    private let log = Mutex<[String]>([])

    var calls: [String] { log.withLock { $0 } }

    override func getCachedResponse(
      for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      log.withLock { $0.append("get") }
      completionHandler(dataTask.currentRequest?.url.flatMap { url in kept.withLock { $0[url] } })
    }

    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
      log.withLock { $0.append("store \(String(decoding: cachedResponse.data, as: UTF8.self))") }
      guard let url = dataTask.currentRequest?.url else { return }
      kept.withLock { $0[url] = cachedResponse }
    }
  }

  @Test func subclassIsAskedInsteadOfTheStore() async throws {
    try await CacheScene.with(cache: OwnCache(memoryCapacity: 1_000_000, diskCapacity: 0, directory: nil)) { server, scene async throws in
      server.enqueue(.gzip(Data("hello".utf8), headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""]), Reply(304))
      for _ in 0..<2 { #expect(try await scene.load(server.url("/a")).text == "hello") }
      #expect((scene.cache as? OwnCache)?.calls == ["get", "store hello", "get"])
    }
  }
}
