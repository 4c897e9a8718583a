import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The scoped call whose body is written while the response is read.
@Suite(.timeLimit(.minutes(10))) struct PerformTests {
  private struct Broken: Error, Equatable {}

  private final class Count: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func add(_ count: Int) { number.withLock { $0 += count } }
  }

  private func serve(
    _ wire: Wire, _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      #expect(await session.allTasks.isEmpty)
      session.invalidateAndCancel()
    }
  }

  private static func post(_ server: TestServer, _ path: String = "/") -> URLRequest { URLRequest("POST", server.url(path)) }

  @Test(arguments: Wire.allCases) func whatIsWrittenIsSent(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: Reply(201, body: .text("ok"), trailers: ["X-Sum": "1"]))
      let (status, text, trailers) = try await session.perform(
        Self.post(server),
        body: .writer { writer in
          try await writer.write(Data("one ".utf8))
          try await writer.write(Data("two".utf8))
          writer.setTrailerFields(["X-Sum": "2"])
        }
      ) { response, body in
        let text = String(decoding: try await body.collect(upTo: 100), as: UTF8.self)
        return ((response as? HTTPURLResponse)?.statusCode, text, body.trailerFields?.values.first)
      }
      #expect(status == 201 && text == "ok" && trailers == "1")
      #expect(server.requests.first?.text == "one two" && server.requests.first?.trailers["X-Sum"] == "2")
    }
  }

  @Test(arguments: Wire.allCases) func lengthIsSent(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      try await session.perform(Self.post(server), body: .writer(length: 3) { try await $0.write(Data("one".utf8)) }) { _, body in
        let data = try await body.collect(upTo: 100)
        #expect(data == Data("ok".utf8))
      }
      try await session.perform(Self.post(server), body: .data(Data("two".utf8))) { _, _ in }
      var request = Self.post(server)
      request.httpBody = Data("six".utf8)
      try await session.perform(request) { _, _ in }
      #expect(server.requests.map(\.text) == ["one", "two", "six"])
      #expect(server.requests.allSatisfy { $0.headers["Content-Length"] == "3" })
    }
  }

  /// The writer goes on only when the reader has read what came before.
  @Test(arguments: Wire.allCases) func responseIsReadWhileTheBodyIsWritten(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      let gate = Gate()
      let reply = Reply(
        headers: ["Content-Type": "text/plain"], body: .pattern(count: 4),
        faults: [.replyBeforeRequestBody, .delayBeforeBody(gate), .trickle(chunkSize: 1)])
      server.route("/", reply: reply)
      let (turns, turn) = AsyncStream.makeStream(of: Int.self)
      let count = try await session.perform(
        Self.post(server),
        body: .writer { writer in
          try await writer.write(Data("begin".utf8))
          for await number in turns where number < 3 { try await writer.write(Data("\(number)".utf8)) }
        }
      ) { _, body in
        gate.open()
        var count = 0
        for try await piece in body {
          count += piece.count
          turn.yield(count)
        }
        turn.finish()
        return count
      }
      #expect(count == 4)
    }
  }

  @Test(arguments: Wire.allCases) func leavingEndsTheLoadAndTheWriter(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: Reply(body: .repeating(1, count: 1 << 30), faults: [.replyBeforeRequestBody]))
      let ended = Mutex(0)
      let status = try await session.perform(
        Self.post(server),
        body: .writer { writer in
          defer { ended.withLock { $0 += 1 } }
          while true { try await writer.write(Data(count: 1000)) }
        }
      ) { response, _ in (response as? HTTPURLResponse)?.statusCode }
      #expect(status == 200 && ended.withLock { $0 } == 1)
    }
  }

  @Test(arguments: Wire.allCases) func errorsOfEitherSideAreThrown(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      server.route("/early", reply: Reply(body: .repeating(1, count: 1 << 30), faults: [.replyBeforeRequestBody]))
      // The writer's, before a response.
      await #expect(throws: Broken()) {
        try await session.perform(
          Self.post(server),
          body: .writer { writer in
            try await writer.write(Data("one".utf8))
            throw Broken()
          }
        ) { _, _ in }
      }
      // The reader's, while the writer waits.
      await #expect(throws: Broken()) {
        try await session.perform(
          Self.post(server, "/early"), body: .writer { writer in while true { try await writer.write(Data(count: 10_000)) } }
        ) { _, _ in throw Broken() }
      }
      #expect(try await session.text(from: server.url()).0 == "ok")
    }
  }

  @Test(arguments: Wire.allCases) func cancellationEndsBoth(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      let (started, start) = AsyncStream.makeStream(of: Void.self)
      server.route("/", reply: Reply(body: .none, faults: [.delayBeforeHeaders(server.gate("never"))]))
      let request = Self.post(server)
      let load = Task {
        try await session.perform(
          request,
          body: .writer { writer in
            start.yield()
            while true { try await writer.write(Data(count: 10_000)) }
          }
        ) { _, _ in }
      }
      for await _ in started { break }
      load.cancel()
      let error = await #expect(throws: URLError.self) { try await load.value }
      #expect(error?.code == .cancelled)
      server.gate("never").open()
    }
  }

  @Test(arguments: Wire.allCases) func writersThatCanWriteAgainFollowRedirects(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: Reply(307, headers: ["Location": "/there"]))
      server.route("/there", reply: .text("ok"))
      let write: @Sendable (URLSessionBodyWriter) async throws -> Void = { writer in
        try await writer.write(Data("ab".utf8))
        writer.setTrailerFields(["X-Sum": "2"])
      }
      let text = try await session.perform(Self.post(server), body: .writer(isRepeatable: true, write)) { _, body in
        String(decoding: try await body.collect(upTo: 10), as: UTF8.self)
      }
      #expect(text == "ok" && server.requests.map(\.text) == ["ab", "ab"])
      #expect(server.requests.allSatisfy { $0.trailers["X-Sum"] == "2" })
      let error = await #expect(throws: URLError.self) { try await session.perform(Self.post(server), body: .writer(write)) { _, _ in } }
      #expect(error?.code == .requestBodyStreamExhausted)
    }
  }

  @Test(arguments: Wire.allCases) func writerIsHeldBackByTheServer(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      let gate = Gate()
      server.route("/", reply: Reply(body: .text("ok"), faults: [.slowReader(gate)]))
      let written = Count()
      let request = Self.post(server)
      let load = Task {
        try await session.perform(
          request,
          body: .writer { writer in
            for _ in 0..<1024 {
              try await writer.write(Data(count: 1 << 20))
              written.add(1 << 20)
            }
          }
        ) { _, _ in }
      }
      try await gate.reached()
      try await settle(server) { written.value }
      #expect(written.value < 1 << 27)
      load.cancel()
      await #expect(throws: URLError.self) { try await load.value }
      gate.open()
    }
  }

  @MainActor private static func textReadHere(_ session: URLSession, _ request: URLRequest) async throws -> String {
    var text = ""
    try await session.perform(request) { _, body in
      MainActor.assertIsolated()
      for try await piece in body { text += String(decoding: piece, as: UTF8.self) }
    }
    return text
  }

  @Test func readerRunsOnItsActor() async throws {
    try await serve(.plain) { server, session async throws in
      server.route("/", reply: .text("ok"))
      #expect(try await Self.textReadHere(session, URLRequest(url: server.url())) == "ok")
    }
  }
}
