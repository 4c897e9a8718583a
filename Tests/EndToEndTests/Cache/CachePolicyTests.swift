import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Apple's request policies, and what RFC 5861 allows when the server is slow or down.
@Suite(.timeLimit(.minutes(10))) struct CachePolicyTests {
  @Test func elseLoadTakesWhateverIsThere() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=1"]))
      #expect(try await scene.load(server.url("/a"), policy: .returnCacheDataElseLoad).text == "one")
      scene.clock.advance(by: 1000)
      #expect(try await scene.load(server.url("/a"), policy: .returnCacheDataElseLoad).text == "one")
      #expect(server.requestCount == 1)
    }
  }

  @Test func dontLoadFailsRatherThanLoads() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=1"]))
      let code = await errorCode { _ = try await scene.load(server.url("/a"), policy: .returnCacheDataDontLoad) }
      #expect(code == NSURLErrorResourceUnavailable)
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 1000)
      #expect(try await scene.load(server.url("/a"), policy: .returnCacheDataDontLoad).text == "one")
      let posted = await errorCode { _ = try await scene.load(server.url("/a"), method: "POST", policy: .returnCacheDataDontLoad) }
      #expect(posted == NSURLErrorResourceUnavailable)
      #expect(server.requestCount == 1)
    }
  }

  @Test func reloadIgnoresTheCacheAndRefillsIt() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=60", "ETag": "\"a\""]), .fields("two", ["Cache-Control": "max-age=60"]),
        .fields("three", ["Cache-Control": "max-age=60"]))
      _ = try await scene.load(server.url("/a"))
      #expect(try await scene.load(server.url("/a"), policy: .reloadIgnoringLocalCacheData).text == "two")
      #expect(try await scene.load(server.url("/a")).text == "two")
      #expect(try await scene.load(server.url("/a"), policy: .reloadIgnoringLocalAndRemoteCacheData).text == "three")
      #expect(try await scene.load(server.url("/a")).text == "three")
      #expect(server.requests.map { $0.headers["Cache-Control"] } == [nil, nil, "no-cache"])
      #expect(server.requests.map { $0.headers["Pragma"] } == [nil, nil, "no-cache"])
      #expect(server.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
    }
  }

  @Test func revalidatingAsksEvenWhenFresh() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=60", "ETag": "\"a\""]), Reply(304))
      _ = try await scene.load(server.url("/a"))
      #expect(try await scene.load(server.url("/a"), policy: .reloadRevalidatingCacheData).text == "one")
      #expect(server.requests[1].headers["If-None-Match"] == "\"a\"")
    }
  }

  @Test func theSessionsPolicyCountsWhereTheRequestHasNone() async throws {
    try await CacheScene.with({ $0.requestCachePolicy = .returnCacheDataElseLoad }) { server, scene async throws in
      server.enqueue(.fields("one", [:]), .fields("two", [:]))
      _ = try await scene.load(server.url("/a"))
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(try await scene.load(server.url("/a"), policy: .reloadIgnoringLocalCacheData).text == "two")
    }
  }

  @Test func onlyIfCachedIsAnsweredByTheCacheItself() async throws {
    try await CacheScene.with { server, scene async throws in
      let answer = try await scene.load(server.url("/a"), ["Cache-Control": "only-if-cached"])
      #expect(answer.response.statusCode == 504)
      #expect(server.requestCount == 0)
    }
  }

  @Test func staleWhileRevalidateAnswersAtOnceAndRefreshes() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"a\""]),
        .fields("two", ["Cache-Control": "max-age=100", "ETag": "\"b\""]))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a")).text == "one")
      let background = try await server.waitForRequest(2)
      #expect(background.headers["If-None-Match"] == "\"a\"")
      var text = "one"
      let end = HangLimit.end
      while text == "one", ContinuousClock.now < end { text = try await scene.load(server.url("/a")).text }
      #expect(text == "two")
      #expect(server.requestCount == 2)
    }
  }

  @Test func manyReadersOfAStaleResponseCauseOneValidation() async throws {
    try await CacheScene.with { server, scene async throws in
      let gate = server.gate("hold")
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"a\""]),
        Reply(304, headers: ["Cache-Control": "max-age=100"]).with(.delayBeforeHeaders(gate)))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      for _ in 0..<10 { #expect(try await scene.load(server.url("/a")).text == "one") }
      #expect(try await server.waitForRequest(2).path == "/a")
      // It waits at the gate: it ends with the session.
      scene.session.invalidateAndCancel()
      try await server.waitForConnections(open: 0)
      #expect(server.requestCount == 2)
    }
  }

  @Test func staleIfErrorStandsInForAFailingServer() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10, stale-if-error=60", "ETag": "\"a\""]), .text("down", status: 503),
        // Four times: a kept connection may have ended, and a server that had answered is given time.
        Reply(200).with(.disconnectBeforeHeaders), Reply(200).with(.disconnectBeforeHeaders), Reply(200).with(.disconnectBeforeHeaders),
        Reply(200).with(.disconnectBeforeHeaders))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(try await scene.load(server.url("/a")).text == "one")
      scene.clock.advance(by: 60)
      server.enqueue(.text("down", status: 503))
      #expect(try await scene.load(server.url("/a")).response.statusCode == 503)
    }
  }

  @Test(arguments: [Wire.plain] + Wire.multiplexed) func unreachableServerIsStoodInFor(_ wire: Wire) async throws {
    let server = try await TestServer.start(wire.options())
    let scene = CacheScene(server, configuration: try wire.configuration())
    server.enqueue(
      .fields("one", ["Cache-Control": "max-age=10, stale-if-error=60"]), .fields("two", ["Cache-Control": "max-age=10"]))
    _ = try await scene.load(server.url("/a"))
    _ = try await scene.load(server.url("/b"))
    await server.shutdown()
    scene.clock.advance(by: 20)
    #expect(try await scene.load(server.url("/a")).text == "one")
    #expect(await errorCode { _ = try await scene.load(server.url("/b")) } != nil)
    scene.session.invalidateAndCancel()
  }

  @Test func errorWithoutPermissionIsShown() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(.fields("one", ["Cache-Control": "max-age=10", "ETag": "\"a\""]), .text("down", status: 503), Reply(304))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a")).response.statusCode == 503)
      #expect(try await scene.load(server.url("/a")).text == "one")
    }
  }
}
