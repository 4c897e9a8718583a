import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What changes under a load's hands, or by another load: entries of the app's own, HEAD, unsafe methods, removal at the wrong moment.
@Suite(.timeLimit(.minutes(10))) struct CacheChangeTests {
  @Test func loadIsAnsweredByWhatTheAppStored() async throws {
    try await CacheScene.with { server, scene async throws in
      let url = server.url("/a")
      let fields = ["Cache-Control": "max-age=60", "Content-Type": "text/x-own"]
      let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
      scene.cache.storeCachedResponse(CachedURLResponse(response: response, data: Data("own".utf8)), for: URLRequest(url: url))
      let answer = try await scene.load(url)
      #expect(answer.text == "own")
      #expect(answer["Content-Type"] == "text/x-own")
      #expect(server.requestCount == 0)
      server.enqueue(.fields("theirs", ["Cache-Control": "max-age=60"]))
      #expect(try await scene.load(url, policy: .reloadIgnoringLocalCacheData).text == "theirs")
      #expect(scene.cache.cachedResponse(for: URLRequest(url: url))?.data == Data("theirs".utf8))
    }
  }

  @Test func headWithEqualValidatorsRenewsTheStoredFields() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10", "ETag": "\"a\"", "X": "old"]),
        Reply(headers: ["Cache-Control": "max-age=100", "ETag": "\"a\"", "X": "new", "Content-Length": "3"]))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a"), method: "HEAD").text.isEmpty)
      let hit = try await scene.load(server.url("/a"))
      #expect(hit.text == "one")
      #expect(hit["X"] == "new")
      #expect(server.requests.map(\.method) == ["GET", "HEAD"])
    }
  }

  @Test(arguments: [["ETag": "\"b\"", "Content-Length": "3"], ["ETag": "\"a\"", "Content-Length": "4"]] as [HeaderList])
  func headOfAnotherBodyOutdatesTheStoredOne(fields: HeaderList) async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=10", "ETag": "\"a\""]), Reply(headers: fields), .text("new"))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      _ = try await scene.load(server.url("/a"), method: "HEAD")
      #expect(scene.cache.cachedResponse(for: URLRequest(url: server.url("/a"))) == nil)
      #expect(try await scene.load(server.url("/a")).text == "new")
      #expect(server.requests.last?.headers["If-None-Match"] == nil)
    }
  }

  @Test(arguments: ["Location", "Content-Location"])
  func unsafeMethodOutdatesWhatItsResponseNames(field: String) async throws {
    try await CacheScene.with { server, scene async throws in
      for path in ["/made", "/other"] {
        server.route(path, .GET, reply: .fields(path, ["Cache-Control": "max-age=60"]))
        _ = try await scene.load(server.url(path))
      }
      server.enqueue(Reply(201, headers: HeaderList([(field, "/made")])))
      _ = try await scene.load(server.url("/list"), method: "POST")
      for path in ["/made", "/other"] { #expect(try await scene.load(server.url(path)).text == path) }
      #expect(server.requests.map(\.path) == ["/made", "/other", "/list", "/made"])
    }
  }

  @Test func unsafeMethodOutdatesNothingOfAnotherOrigin() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a", .GET, reply: .fields("one", ["Cache-Control": "max-age=60"]))
      _ = try await scene.load(server.url("/a"))
      try await TestServer.with(server.options) { stranger async throws in
        let stored = server.url("/a").absoluteString
        stranger.enqueue(Reply(201, headers: HeaderList([("Location", stored), ("Content-Location", stored)])))
        _ = try await scene.load(stranger.url("/list"), method: "POST")
      }
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(server.requestCount == 1)
    }
  }

  /// The body was in a file that has been removed by the time the 304 says that it still holds.
  @Test func entryThatVanishesDuringItsValidationIsLoadedAnew() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cache = { URLCache(memoryCapacity: 0, diskCapacity: 10_000_000, directory: folder.appending(path: UUID().uuidString)) }
    try await CacheScene.with(cache: cache()) { server, scene async throws in
      let gate = Gate()
      let long = String(repeating: "one ", count: 10_000)
      server.enqueue(
        .fields(long, ["Cache-Control": "max-age=10", "ETag": "\"a\""]), Reply(304).with(.delayBeforeHeaders(gate)),
        .fields("two", ["Cache-Control": "max-age=10"]))
      #expect(try await scene.load(server.url("/a")).text == long)
      await scene.cache.flush()
      scene.clock.advance(by: 20)
      async let answer = scene.load(server.url("/a"))
      try await gate.reached()
      scene.cache.removeAllCachedResponses()
      await scene.cache.flush()
      gate.open()
      #expect(try await answer.text == "two")
      #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"a\"", nil])
      #expect(try await scene.load(server.url("/a")).text == "two")
    }
  }

  @Test func suspendedLoadIsStoredWholeOnceItGoesOn() async throws {
    try await CacheScene.with { server, scene async throws in
      let gate = Gate()
      let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
      let reply = Reply(headers: ["Cache-Control": "max-age=60"], body: .bytes(body))
      server.enqueue(reply.with(.stallAfter(bodyBytes: 50_000, gate: gate)))
      let log = CompletionLog()
      let task = scene.session.dataTask(with: server.url("/a"), completionHandler: log.handler)
      task.resume()
      try await gate.reached()
      task.suspend()
      gate.open()
      #expect(scene.cache.cachedResponse(for: URLRequest(url: server.url("/a"))) == nil)
      task.resume()
      #expect(await log.call().data == body)
      #expect(scene.cache.cachedResponse(for: URLRequest(url: server.url("/a")))?.data == body)
      #expect(server.requestCount == 1)
    }
  }
}
