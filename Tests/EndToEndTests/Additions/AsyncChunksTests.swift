import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct AsyncChunksTests {
  private func serve(_ wire: Wire, _ reply: Reply, _ body: (TestServer, URLSession) async throws -> Void) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: reply)
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func piecesAreTheBody(_ wire: Wire) async throws {
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    try await serve(wire, Reply(200, body: .bytes(body))) { server, session async throws in
      let (chunks, response) = try await session.chunks(from: server.url())
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      var (whole, count) = (Data(), 0)
      for try await chunk in chunks {
        #expect(!chunk.isEmpty)
        whole.append(chunk)
        count += 1
      }
      #expect(whole == body && count > 1)
      // The end is the end for every iterator.
      var iterator = chunks.makeAsyncIterator()
      #expect(try await iterator.next() == nil)
    }
  }

  @Test func bytesHaveTheSameBodyInPieces() async throws {
    try await serve(.plain, .text("some text")) { server, session async throws in
      let (bytes, _) = try await session.bytes(for: URLRequest(url: server.url()))
      #expect(try await bytes.chunks.collect(upTo: 9) == Data("some text".utf8))
    }
  }

  @Test(arguments: Wire.allCases) func collectingStopsAtTheLimit(_ wire: Wire) async throws {
    try await serve(wire, .text("0123456789")) { server, session async throws in
      let chunks = try await session.chunks(from: server.url()).0
      let error = await #expect(throws: URLError.self) { try await chunks.collect(upTo: 9) }
      #expect(error?.code == .dataLengthExceedsMaximum)
      #expect(try await session.chunks(from: server.url()).0.collect(upTo: 10).count == 10)
    }
  }

  @Test func lengthThatIsTooLargeIsRefusedBeforeTheBodyCame() async throws {
    let gate = Gate()
    try await serve(.plain, Reply.text(String(repeating: "x", count: 100)).with(.delayBeforeBody(gate))) { server, session async throws in
      let chunks = try await session.chunks(from: server.url()).0
      await #expect(throws: URLError.self) { try await chunks.collect(upTo: 99) }
      gate.open()
    }
  }

  @Test(arguments: Wire.allCases) func leavingTheLoopCancelsTheLoad(_ wire: Wire) async throws {
    try await serve(wire, Reply(200, body: .repeating(0, count: 8_000_000))) { server, session async throws in
      let task = try await {
        let chunks = try await session.chunks(from: server.url()).0
        for try await _ in chunks { break }
        return chunks.task
      }()
      while task.state != .completed { await Task.yield() }
      #expect((task.error as? URLError)?.code == .cancelled)
    }
  }
}
