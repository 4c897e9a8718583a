import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct UploadSequenceTests {
  private struct Broken: Error, Equatable {}

  private static func request(_ server: TestServer) -> URLRequest { URLRequest("POST", server.url()) }

  private static func pieces(_ texts: String...) -> AsyncStream<Data> {
    AsyncStream { stream in
      for text in texts { stream.yield(Data(text.utf8)) }
      stream.finish()
    }
  }

  private func serve(_ wire: Wire, _ replies: Reply..., body: (TestServer, URLSession) async throws -> Void) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(contentsOf: replies)
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func piecesAreSentAsTheyAreProduced(_ wire: Wire) async throws {
    try await serve(wire, .text("ok"), .text("ok")) { server, session async throws in
      let (data, _) = try await session.upload(for: Self.request(server), from: Self.pieces("one ", "", "two ", "three"))
      #expect(data == Data("ok".utf8))
      _ = try await session.upload(for: Self.request(server), from: Self.pieces())
      #expect(server.requests.map(\.text) == ["one two three", ""])
      #expect(server.requests.allSatisfy { $0.headers["Content-Length"] == nil })
    }
  }

  @Test(arguments: Wire.allCases) func lengthIsSentAndHeldTo(_ wire: Wire) async throws {
    try await serve(wire, .text("ok"), .text("ok"), .text("ok")) { server, session async throws in
      _ = try await session.upload(for: Self.request(server), from: Self.pieces("1234", "5678"), length: 8)
      #expect(server.requests.last?.headers["Content-Length"] == "8" && server.requests.last?.text == "12345678")
      for length in [7, 9] as [Int64] {
        let error = await #expect(throws: URLError.self) {
          _ = try await session.upload(for: Self.request(server), from: Self.pieces("1234", "5678"), length: length)
        }
        #expect(error?.code == .requestBodyStreamExhausted)
      }
    }
  }

  @Test(arguments: Wire.allCases) func errorOfTheSequenceEndsTheUpload(_ wire: Wire) async throws {
    try await serve(wire) { server, session async throws in
      server.route("/", reply: .text("ok"))
      let body = AsyncThrowingStream<Data, any Error> { stream in
        stream.yield(Data("one".utf8))
        stream.finish(throwing: Broken())
      }
      await #expect(throws: Broken()) { _ = try await session.upload(for: Self.request(server), from: body) }
      // The half body never became a request.
      #expect(try await session.text(from: server.url()).0 == "ok")
    }
  }

  @Test(arguments: Wire.allCases) func bodyThatCanBeMadeAgainFollowsRedirects(_ wire: Wire) async throws {
    try await serve(wire, Reply(307, headers: ["Location": "/there"]), .text("ok")) { server, session async throws in
      let (data, _) = try await session.upload(for: Self.request(server)) { Self.pieces("a", "b") }
      #expect(data == Data("ok".utf8) && server.requests.map(\.text) == ["ab", "ab"])
    }
  }

  @Test(arguments: Wire.allCases) func bodyThatIsGoneCantBeSentAgain(_ wire: Wire) async throws {
    try await serve(wire, Reply(307, headers: ["Location": "/there"]), .text("ok")) { server, session async throws in
      let error = await #expect(throws: URLError.self) {
        _ = try await session.upload(for: Self.request(server), from: Self.pieces("a", "b"))
      }
      #expect(error?.code == .requestBodyStreamExhausted)
    }
  }

  /// Pieces without end; counts them.
  private struct Endless: AsyncSequence, Sendable {
    final class Count: Sendable {
      private let number = LoadingModel.Mutex(0)
      var value: Int { number.withLock { $0 } }
      func add() { number.withLock { $0 += 1 } }
    }

    struct Iterator: AsyncIteratorProtocol {
      let count: Count
      mutating func next() async -> Data? {
        guard !Task.isCancelled else { return nil }
        count.add()
        return Data(count: 65_536)
      }
    }

    let count = Count()
    func makeAsyncIterator() -> Iterator { Iterator(count: count) }
  }

  @Test func sequenceIsIteratedAsFastAsTheServerReads() async throws {
    let reading = Gate()
    var options = TestServer.Options.http
    options.receiveBufferSize = 65_536
    options.behaviour = .raw([.readRequestHead, .wait(reading), .readToEnd])
    try await TestServer.with(options) { server async throws in
      try await TestServer.with { other async throws in
        other.route("/", reply: Reply(204))
        let (session, plain) = (URLSession(configuration: .testing()), URLSession(configuration: .testing()))
        let body = Endless()
        let task = session.uploadTask(with: Self.request(server), from: body)
        task.resume()
        try await reading.reached()
        // Until it hasn't grown for a hundred requests to another server.
        var (quiet, last) = (0, body.count.value)
        for _ in 0..<5000 where quiet < 100 {
          _ = try await plain.data(from: other.url("/"))
          quiet = body.count.value == last ? quiet + 1 : 0
          last = body.count.value
        }
        // What sockets and the session's own windows may hold together.
        #expect(last * 65_536 < 16 << 20)
        reading.open()
        try await other.wait { body.count.value > last + 1_000 }
        task.cancel()
        session.finishTasksAndInvalidate()
        plain.invalidateAndCancel()
        try await other.wait { task.state == .completed }
      }
    }
  }

  @Test(arguments: Wire.allCases) func cancellingEndsTheSequence(_ wire: Wire) async throws {
    try await serve(wire, .text("ok")) { server, session async throws in
      let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
      let (ended, end) = AsyncStream.makeStream(of: Void.self)
      let never = AsyncStream.makeStream(of: Void.self)
      let body = AsyncStream<Data>(
        unfolding: {
          beginning.finish()
          // Until it is cancelled.
          for await _ in never.stream {}
          return nil
        }, onCancel: { end.finish() })
      let loading = Task { try await session.upload(for: Self.request(server), from: body) }
      for await _ in begun {}
      loading.cancel()
      let error = await #expect(throws: URLError.self) { _ = try await loading.value }
      #expect(error?.code == .cancelled)
      for await _ in ended {}
    }
  }

  @Test(arguments: Wire.allCases) func earlyResponseEndsTheSequence(_ wire: Wire) async throws {
    try await serve(wire, Reply(413, faults: [.replyBeforeRequestBody])) { server, session async throws in
      let (ended, end) = AsyncStream.makeStream(of: Void.self)
      let never = AsyncStream.makeStream(of: Void.self)
      let body = AsyncStream<Data>(
        unfolding: {
          for await _ in never.stream {}
          return nil
        }, onCancel: { end.finish() })
      let (_, response) = try await session.upload(for: Self.request(server), from: body)
      #expect((response as? HTTPURLResponse)?.statusCode == 413)
      for await _ in ended {}
    }
  }
}
