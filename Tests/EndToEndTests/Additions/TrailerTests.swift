import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Fields behind bodies, both ways.
@Suite(.timeLimit(.minutes(10))) struct TrailerTests {
  private static let reply = Reply(
    body: .chunks([Data("one".utf8), Data("two".utf8)]),
    trailers: ["X-Sum": "42", "Content-Length": "7", "X-Part": "a", "x-part": "b", "Set-Cookie": "a=b"])

  private static func pieces(_ texts: String...) -> AsyncStream<Data> {
    AsyncStream { stream in
      for text in texts { stream.yield(Data(text.utf8)) }
      stream.finish()
    }
  }

  private func serve(
    _ wire: Wire, caches: Bool = false, _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    try await wire.serve { server, configuration async throws in
      if caches { configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func receivedOnesAreOnTheTask(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: Self.reply)
      let (chunks, _) = try await session.chunks(from: server.url())
      #expect(try await chunks.collect(upTo: 100) == Data("onetwo".utf8))
      let fields = try #require(chunks.trailerFields)
      #expect(fields.count == 2)
      #expect(fields.first { $0.key.lowercased() == "x-sum" }?.value == "42")
      #expect(fields.first { $0.key.lowercased() == "x-part" }?.value == "a, b")
      #expect(server.openConnections <= 1)
    }
  }

  @Test(arguments: Wire.allCases) func completionHandlersFindThem(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: Self.reply)
      server.route("/none", reply: .text("x"))
      for (path, count) in [("/", 2), ("/none", nil)] {
        let log = CompletionLog()
        let task = session.dataTask(with: server.url(path), completionHandler: log.handler)
        task.resume()
        #expect(await log.call().code == nil)
        #expect(task.trailerFields?.count == count)
      }
    }
  }

  @Test(arguments: Wire.allCases) func cachedResponsesKeepThem(_ wire: Wire) async throws {
    try await serve(wire, caches: true) { server, session async throws in
      var reply = Self.reply
      reply.headers = ["Cache-Control": "max-age=100", "ETag": "\"1\""]
      server.route("/", reply: reply)
      for _ in 0..<2 {
        let (chunks, _) = try await session.chunks(from: server.url())
        _ = try await chunks.collect(upTo: 100)
        #expect(chunks.trailerFields?.count == 2)
      }
      #expect(server.requestCount == 1)
      var part = URLRequest(url: server.url())
      part.setValue("bytes=0-1", forHTTPHeaderField: "Range")
      let (chunks, _) = try await session.chunks(for: part)
      _ = try await chunks.collect(upTo: 100)
      #expect(chunks.trailerFields == nil)
    }
  }

  @Test(arguments: Wire.allCases) func sentOnesFollowTheSequence(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      let request = URLRequest("POST", server.url())
      for length in [nil, 6] as [Int64?] {
        _ = try await session.upload(for: request, from: Self.pieces("one", "two"), length: length) { ["X-Sum": "42", "X-Part": "a"] }
        let received = try #require(server.requests.last)
        #expect(received.text == "onetwo" && received.trailers["X-Sum"] == "42" && received.trailers["x-part"] == "a")
        #expect(received.headers["Content-Length"] == nil)
      }
      _ = try await session.upload(for: request, from: Self.pieces()) { ["X-Sum": "0"] }
      #expect(server.requests.last?.text == "" && server.requests.last?.trailers["X-Sum"] == "0")
      // Nothing is left on the connection that later requests could trip over.
      #expect(try await session.text(from: server.url()).0 == "ok")
    }
  }

  @Test(arguments: Wire.allCases) func longOnesAreSentWhole(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      let long = String(repeating: "x", count: 40_000)
      // NIO's server takes no field section above 16 KiB before its settings are acknowledged.
      #expect(try await session.text(from: server.url()).0 == "ok")
      _ = try await session.upload(for: URLRequest("POST", server.url()), from: Self.pieces("one")) { ["X-Long": long] }
      #expect(server.requests.last?.trailers["X-Long"] == long)
    }
  }

  @Test(arguments: Wire.allCases, ["Content-Length", "Host", "Transfer-Encoding", "a b", ""]) func fieldsThatMayNotFollowAreRefused(
    _ wire: Wire, _ name: String
  ) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      await #expect(throws: URLError.self) {
        _ = try await session.upload(for: URLRequest("POST", server.url()), from: Self.pieces("one")) { [name: "1"] }
      }
      #expect(try await session.text(from: server.url()).0 == "ok")
      #expect(server.requests.allSatisfy { $0.method == "GET" || $0.trailers.isEmpty })
    }
  }

  @Test(arguments: Wire.allCases) func errorOfTheirMakerEndsTheUpload(_ wire: Wire) async throws {
    struct Broken: Error, Equatable {}
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      await #expect(throws: Broken()) {
        _ = try await session.upload(for: URLRequest("POST", server.url()), from: Self.pieces("one")) { throw Broken() }
      }
    }
  }

  @Test(arguments: Wire.allCases) func lengthIsHeldTo(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      for length in [5, 7] as [Int64] {
        let error = await #expect(throws: URLError.self) {
          _ = try await session.upload(for: URLRequest("POST", server.url()), from: Self.pieces("one", "two"), length: length) { [:] }
        }
        #expect(error?.code == .requestBodyStreamExhausted)
      }
    }
  }
}
