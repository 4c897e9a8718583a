import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What the cache answers, what it asks, and what the app sees of it.
@Suite(.timeLimit(.minutes(10))) struct CacheTests {
  @Test func freshResponseIsNotLoadedAgain() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60", "X": "y"]))
      let first = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 10)
      let second = try await scene.load(server.url("/a"))
      #expect(first.text == "one")
      #expect(second.text == "one")
      #expect(second["X"] == "y")
      #expect(second["Age"] == "10")
      #expect(second.response.expectedContentLength == 3)
      #expect(second.response.url == server.url("/a"))
      #expect(server.requestCount == 1)
    }
  }

  @Test func staleResponseIsValidatedAndItsFieldsRenewed() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10", "ETag": "\"a\"", "Last-Modified": httpDate(-1000), "X": "old", "Y": "kept"]),
        Reply(304, headers: ["ETag": "\"a\"", "X": "new", "Cache-Control": "max-age=60"]))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      let second = try await scene.load(server.url("/a"))
      #expect(second.text == "one")
      #expect(second.response.statusCode == 200)
      #expect(second["X"] == "new")
      #expect(second["Y"] == "kept")
      #expect(server.requests[1].headers["If-None-Match"] == "\"a\"")
      #expect(server.requests[1].headers["If-Modified-Since"] != nil)
      scene.clock.advance(by: 50)
      let third = try await scene.load(server.url("/a"))
      #expect(third.text == "one")
      #expect(third["X"] == "new")
      #expect(server.requestCount == 2)
    }
  }

  @Test func changedResponseReplacesTheStoredOne() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10", "ETag": "\"a\""]), .fields("two", ["Cache-Control": "max-age=10", "ETag": "\"b\""]))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a")).text == "two")
      #expect(try await scene.load(server.url("/a")).text == "two")
      #expect(server.requestCount == 2)
    }
  }

  @Test func hitHasTheMessagesAndMetricsOfALoad() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60"]))
      _ = try await scene.load(server.url("/a"))
      let recorder = try await scene.record(URLRequest(url: server.url("/a")))
      #expect(recorder.milestones == [.response(status: 200), .metrics(transactions: 1), .completed(code: nil)])
      #expect(recorder.body == Data("one".utf8))
      let transaction = try #require(recorder.metrics?.transactionMetrics.first)
      #expect(transaction.resourceFetchType == .localCache)
      #expect(transaction.networkProtocolName == nil)
      #expect(transaction.connectStartDate == nil)
      #expect(transaction.domainLookupStartDate == nil)
      #expect(transaction.requestStartDate != nil)
      #expect(transaction.responseEndDate != nil)
      #expect(transaction.countOfResponseHeaderBytesReceived == 0)
      #expect(transaction.countOfResponseBodyBytesReceived == 0)
      #expect(transaction.countOfRequestHeaderBytesSent == 0)
      #expect((transaction.response as? HTTPURLResponse)?.statusCode == 200)
    }
  }

  @Test func validationIsATransactionOfItsOwn() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["ETag": "\"a\""]), Reply(304))
      // With TLS, loads whose delegates may be asked share no connection with others.
      _ = try await scene.record(URLRequest(url: server.url("/a")))
      let recorder = try await scene.record(URLRequest(url: server.url("/a")))
      let transactions = try #require(recorder.metrics?.transactionMetrics)
      #expect(transactions.map(\.resourceFetchType) == [.networkLoad, .localCache])
      #expect(transactions.map { ($0.response as? HTTPURLResponse)?.statusCode } == [304, 200])
      #expect(recorder.body == Data("one".utf8))
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test func everyWayOfLoadingIsServed() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60"]))
      _ = try await scene.load(server.url("/a"))
      let log = CompletionLog()
      scene.session.dataTask(with: server.url("/a"), completionHandler: log.handler).resume()
      #expect(await log.call().data == Data("one".utf8))
      let (bytes, _) = try await scene.session.bytes(from: server.url("/a"))
      var collected = Data()
      for try await byte in bytes { collected.append(byte) }
      #expect(collected == Data("one".utf8))
      #expect(server.requestCount == 1)
    }
  }

  @Test func encodedBodyIsStoredEncodedAndDecodedOnEachHit() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.gzip(Data("hello".utf8), headers: ["Cache-Control": "max-age=60", "Vary": "Accept-Encoding"]))
      for _ in 0..<3 {
        let answer = try await scene.load(server.url("/a"))
        #expect(answer.text == "hello")
        #expect(answer.response.expectedContentLength == -1)
      }
      #expect(server.requestCount == 1)
      #expect(scene.cache.cachedResponse(for: URLRequest(url: server.url("/a")))?.data == Data("hello".utf8))
    }
  }

  @Test func varyingFieldsAreThoseThatWereSent() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a") { request in
        .fields(request.headers["Accept-Language"] ?? "-", ["Cache-Control": "max-age=60", "Vary": "Accept-Language, User-Agent"])
      }
      let standard = try await scene.load(server.url("/a")).text
      #expect(try await scene.load(server.url("/a")).text == standard)
      #expect(server.requestCount == 1)
      #expect(try await scene.load(server.url("/a"), ["Accept-Language": "tlh"]).text == "tlh")
      #expect(server.requestCount == 2)
    }
  }

  @Test func variantsOfOneURLAreKeptApart() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a") { .fields($0.headers["Foo"] ?? "-", ["Cache-Control": "max-age=60", "Vary": "Foo"]) }
      for _ in 0..<2 {
        for value in ["1", "2"] { #expect(try await scene.load(server.url("/a"), ["Foo": value]).text == value) }
      }
      #expect(server.requestCount == 2)
    }
  }

  @Test func permanentRedirectIsFollowedFromTheCache() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/old", reply: Reply(301, headers: ["Location": "/new", "Cache-Control": "max-age=60"], body: .text("moved")))
      server.route("/new", reply: .fields("here", ["Cache-Control": "no-store"]))
      for _ in 0..<2 {
        let answer = try await scene.load(server.url("/old"))
        #expect(answer.text == "here")
        #expect(answer.response.url == server.url("/new"))
      }
      #expect(server.requests.map(\.path) == ["/old", "/new", "/new"])
    }
  }

  @Test func rangesComeFromTheStoredWhole() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("0123456789", ["Cache-Control": "max-age=60", "ETag": "\"a\""]))
      _ = try await scene.load(server.url("/a"))
      let middle = try await scene.load(server.url("/a"), ["Range": "bytes=2-4"])
      #expect(middle.text == "234")
      #expect(middle.response.statusCode == 206)
      #expect(middle["Content-Range"] == "bytes 2-4/10")
      #expect(middle.response.expectedContentLength == 3)
      #expect(try await scene.load(server.url("/a"), ["Range": "bytes=-3"]).text == "789")
      #expect(try await scene.load(server.url("/a"), ["Range": "bytes=2-4", "If-Range": "\"b\""]).text == "0123456789")
      let beyond = try await scene.load(server.url("/a"), ["Range": "bytes=10-"])
      #expect(beyond.response.statusCode == 416)
      #expect(beyond.text.isEmpty)
      #expect(server.requestCount == 1)
    }
  }

  @Test func partialResponsesAreNotStored() async throws {
    try await CacheScene.with { server, scene async throws in
      let part = Reply(206, headers: ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-2/9"], body: .text("abc"))
      server.enqueue(part, .fields("abcdefghi", ["Cache-Control": "max-age=60"]))
      #expect(try await scene.load(server.url("/a"), ["Range": "bytes=0-2"]).text == "abc")
      #expect(try await scene.load(server.url("/a")).text == "abcdefghi")
    }
  }

  @Test func headIsAnsweredFromTheResponseOfAGet() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60"]))
      _ = try await scene.load(server.url("/a"))
      let head = try await scene.load(server.url("/a"), method: "HEAD")
      #expect(head.text.isEmpty)
      #expect(head.response.expectedContentLength == 3)
      #expect(server.requestCount == 1)
    }
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"])
  func unsafeMethodOutdatesWhatItNames(method: String) async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60"]), .text("changed"), .text("two"))
      _ = try await scene.load(server.url("/a"))
      _ = try await scene.load(server.url("/a"), method: method)
      #expect(try await scene.load(server.url("/a")).text == "two")
    }
  }

  @Test func failedUnsafeMethodOutdatesNothing() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60"]), .text("no", status: 500))
      _ = try await scene.load(server.url("/a"))
      _ = try await scene.load(server.url("/a"), method: "POST")
      #expect(try await scene.load(server.url("/a")).text == "one")
    }
  }

  @Test func conditionsOfTheAppsOwnShowTheirAnswer() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60", "ETag": "\"a\""]), Reply(304, headers: ["ETag": "\"a\""]))
      _ = try await scene.load(server.url("/a"))
      let answer = try await scene.load(server.url("/a"), ["If-None-Match": "\"a\""])
      #expect(answer.response.statusCode == 304)
      #expect(answer.text.isEmpty)
      #expect(try await scene.load(server.url("/a")).text == "one")
    }
  }

  @Test func withoutCacheNothingIsKept() async throws {
    try await CacheScene.with({ $0.urlCache = nil }) { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60"]), .fields("two", [:]))
      _ = try await scene.load(server.url("/a"))
      #expect(try await scene.load(server.url("/a")).text == "two")
    }
  }
}
