import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What a 304 or a HEAD brings besides a new date, and what stages below the cache add to a request.
@Suite(.timeLimit(.minutes(10))) struct CacheConfirmationTests {
  @Test func confirmationWithNoStoreIsUsedOnceAndNotKept() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10", "ETag": "\"a\""]), Reply(304, headers: ["Cache-Control": "no-store"]),
        .text("two"))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(scene.cache.cachedResponse(for: URLRequest(url: server.url("/a"))) == nil)
      #expect(try await scene.load(server.url("/a")).text == "two")
      #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"a\"", nil])
    }
  }

  @Test(arguments: ["304", "HEAD"])
  func confirmationThatChangesVaryCountsForItsOwnRequest(kind: String) async throws {
    try await CacheScene.with { server, scene async throws in
      let fields: HeaderList = ["Cache-Control": "max-age=100", "ETag": "\"a\"", "Vary": "Foo"]
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10", "ETag": "\"a\""]), Reply(kind == "304" ? 304 : 200, headers: fields), .text("two"))
      _ = try await scene.load(server.url("/a"), ["Foo": "1"])
      scene.clock.advance(by: 20)
      let confirmed = try await scene.load(server.url("/a"), ["Foo": "2"], method: kind == "304" ? "GET" : "HEAD")
      if kind == "304" {
        #expect(confirmed.text == "one")
        #expect(try await scene.load(server.url("/a"), ["Foo": "2"]).text == "one")
        #expect(server.requestCount == 2)
      }
      #expect(try await scene.load(server.url("/a"), ["Foo": "1"]).text == "two")
      #expect(server.requestCount == 3)
    }
  }

  @Test func responseVaryingByTheCredentialFitsThatCredentialAlone() async throws {
    try await CacheScene.with { server, scene async throws in
      server.route("/a") { request in
        guard let sent = request.headers["Authorization"] else { return Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]) }
        return .fields(sent, ["Cache-Control": "max-age=60", "Vary": "Authorization"])
      }
      let delegate = ChallengeAnswerer("u", "p", .forSession)
      let session = URLSession(configuration: scene.session.configuration, delegate: delegate, delegateQueue: nil)
      let own = try await session.text(from: server.url("/a")).0
      #expect(own.hasPrefix("Basic "))
      #expect(try await session.text(from: server.url("/a")).0 == own)
      #expect(server.requestCount == 2)
      // The same cache, and another user.
      #expect(try await scene.load(server.url("/a"), ["Authorization": "Basic other"]).text == "Basic other")
      session.invalidateAndCancel()
    }
  }

  @Test func revalidationToWhichAnotherVersionIsNamedLoadsThat() async throws {
    try await CacheScene.with { server, scene async throws in
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"a\""]), Reply(304, headers: ["ETag": "\"b\""]))
      server.route("/a", reply: .fields("two", ["Cache-Control": "max-age=100", "ETag": "\"b\""]))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(try await server.waitForRequest(2).headers["If-None-Match"] == "\"a\"")
      var text = "one"
      let end = HangLimit.end
      while text == "one", ContinuousClock.now < end { text = try await scene.load(server.url("/a")).text }
      #expect(text == "two")
      #expect(server.requests.dropFirst(2).allSatisfy { $0.headers["If-None-Match"] == nil })
    }
  }

  @Test(arguments: [["Content-Length": "100000000"], ["Cache-Control": "no-store"], [:]] as [HeaderList])
  func revalidationEndsWhereNothingIsStored(fields: HeaderList) async throws {
    try await CacheScene.with { server, scene async throws in
      let gate = server.gate("never")
      let body = Reply(
        headers: fields, body: .repeating(1, count: 1_000_000), framing: fields["Content-Length"] == nil ? .chunked : .automatic)
      server.enqueue(
        .fields("one", ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"a\""]),
        body.with(.stallAfter(bodyBytes: 500_000, gate: gate)))
      _ = try await scene.load(server.url("/a"))
      scene.clock.advance(by: 20)
      #expect(try await scene.load(server.url("/a")).text == "one")
      #expect(try await server.waitForRequest(2).path == "/a")
      // The body, which would never end, has been given up: nothing keeps the connection open.
      await scene.session.flush()
      try await server.waitForConnections(open: 0)
    }
  }
}
