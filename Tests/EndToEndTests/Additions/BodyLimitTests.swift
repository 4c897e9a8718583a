import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Bounds that an app sets on bodies.
@Suite(.timeLimit(.minutes(10))) struct BodyLimitTests {
  private func serve(
    _ wire: Wire, collected: Int64? = nil, decoded: Int64? = nil, _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    try await wire.serve { server, configuration async throws in
      configuration.maximumResponseBodyLength = collected
      configuration.maximumDecodedBodyLength = decoded
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  private static func isTooLong(_ error: (any Error)?) -> Bool { (error as? URLError)?.code == .dataLengthExceedsMaximum }

  @Test(arguments: Wire.allCases) func whatIsLongerIsRefused(_ wire: Wire) async throws {
    try await serve(wire, collected: 1000) { server, session async throws in
      server.route("/announced", reply: Reply(body: .repeating(1, count: 1 << 30)))
      server.route("/chunked", reply: Reply(body: .repeating(1, count: 1 << 30), framing: .chunked))
      server.route("/fits", reply: Reply(body: .repeating(1, count: 1000)))
      #expect(try await session.data(from: server.url("/fits")).0.count == 1000)
      for path in ["/announced", "/chunked"] {
        #expect(Self.isTooLong(await session.failure(of: URLRequest(url: server.url(path)))))
        let log = CompletionLog()
        session.dataTask(with: server.url(path), completionHandler: log.handler).resume()
        #expect(Self.isTooLong(await log.call().error))
      }
      // The rest isn't waited for.
      #expect(server.sentBytes < 1 << 28)
      #expect(try await session.data(from: server.url("/fits")).0.count == 1000)
    }
  }

  @Test func requestsHaveTheirOwn() async throws {
    try await serve(.plain, collected: 10) { server, session async throws in
      server.route("/", reply: Reply(body: .repeating(1, count: 1000)))
      var request = URLRequest(url: server.url())
      request.maximumResponseBodyLength = 1000
      #expect(request.maximumResponseBodyLength == 1000 && request.maximumDecodedBodyLength == nil)
      #expect(try await session.data(for: request).0.count == 1000)
      request.maximumResponseBodyLength = -5
      #expect(request.maximumResponseBodyLength == 0)
      #expect(Self.isTooLong(await session.failure(of: request)))
    }
  }

  /// What a HEAD says of its length is of a body that doesn't come.
  @Test(arguments: Wire.allCases) func responsesWithoutABodyFit(_ wire: Wire) async throws {
    try await serve(wire, collected: 10) { server, session async throws in
      server.route("/", reply: Reply(body: .repeating(1, count: 1000)))
      #expect(try await session.data(for: URLRequest("HEAD", server.url())).0.isEmpty)
    }
  }

  @Test func piecesAndFilesHaveNone() async throws {
    try await serve(.plain, collected: 10) { server, session async throws in
      server.route("/", reply: Reply(body: .repeating(1, count: 1000)))
      #expect(try await session.chunks(from: server.url()).0.collect(upTo: 1000).count == 1000)
      let (file, _) = try await session.download(from: server.url())
      #expect(try Data(contentsOf: file).count == 1000)
    }
  }

  @Test(arguments: Wire.allCases) func decodedBodiesHaveTheirs(_ wire: Wire) async throws {
    try await serve(wire, decoded: 100_000) { server, session async throws in
      server.route("/bomb", reply: .gzip(Data(count: 10_000_000)))
      server.route("/fits", reply: .gzip(Data(count: 100_000)))
      #expect(try await session.data(from: server.url("/fits")).0.count == 100_000)
      #expect(Self.isTooLong(await session.failure(of: URLRequest(url: server.url("/bomb")))))
      let error = await #expect(throws: URLError.self) { _ = try await session.chunks(from: server.url("/bomb")).0.collect(upTo: .max) }
      #expect(Self.isTooLong(error))
      // What has no coding isn't decoded.
      server.route("/plain", reply: Reply(body: .repeating(1, count: 200_000)))
      #expect(try await session.data(from: server.url("/plain")).0.count == 200_000)
    }
  }
}
