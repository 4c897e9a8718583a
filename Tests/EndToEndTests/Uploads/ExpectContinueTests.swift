import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ExpectContinueTests {
  private static func request(_ server: TestServer) -> URLRequest {
    var request = URLRequest("PUT", server.url())
    request.setValue("100-continue", forHTTPHeaderField: "Expect")
    return request
  }

  /// Runs `body` with a session whose clock doesn't advance.
  private func serve(
    _ wire: Wire, sendsContinue: Bool = true, _ replies: Reply..., body: (TestServer, URLSession, ManualClock) async throws -> Void
  ) async throws {
    try await wire.serve({ $0.sendsContinue = sendsContinue }) { server, configuration async throws in
      let clock = ManualClock()
      configuration.use(clock)
      server.enqueue(contentsOf: replies)
      let session = URLSession(configuration: configuration)
      try await body(server, session, clock)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bodyFollowsThe100(_ wire: Wire) async throws {
    try await serve(wire, .text("ok")) { server, session, _ async throws in
      let (data, _) = try await session.upload(for: ExpectContinueTests.request(server), from: Data("content".utf8))
      #expect(data == Data("ok".utf8))
      #expect(server.requests.map(\.text) == ["content"])
    }
  }

  @Test(arguments: Wire.allCases) func bodyGoesAfterASecondWithoutAnAnswer(_ wire: Wire) async throws {
    try await serve(wire, sendsContinue: false, .text("ok")) { server, session, clock async throws in
      async let loaded = session.upload(for: ExpectContinueTests.request(server), from: Data("content".utf8))
      try await clock.waitForWake(within: 1)
      #expect(server.requests.allSatisfy { $0.bodyLength == 0 })
      clock.advance(by: 1)
      #expect(try await loaded.0 == Data("ok".utf8))
      #expect(server.requests.map(\.text) == ["content"])
    }
  }

  @Test(arguments: [401, 413, 500], Wire.allCases)
  func finalAnswerKeepsTheBodyFromBeingSent(_ status: Int, _ wire: Wire) async throws {
    try await serve(wire, Reply(status, faults: [.replyBeforeRequestBody]), .text("ok")) { server, session, _ async throws in
      let (_, response) = try await session.upload(for: ExpectContinueTests.request(server), from: Data("content".utf8))
      #expect((response as? HTTPURLResponse)?.statusCode == status)
      // The connection still owes a body: the next load has another, where it can't have a stream of its own.
      _ = try await session.data(from: server.url())
      #expect(server.acceptedConnections == (wire.isMultiplexed ? 1 : 2))
      try await server.waitForExchanges(open: 0)
      #expect(server.requests.map(\.bodyLength) == [0, 0])
    }
  }

  @Test(arguments: Wire.allCases) func refusedExpectationIsLeftOutTheSecondTime(_ wire: Wire) async throws {
    try await serve(wire, Reply(417, faults: [.replyBeforeRequestBody]), .text("ok")) { server, session, _ async throws in
      let (data, _) = try await session.upload(for: ExpectContinueTests.request(server), from: Data("content".utf8))
      #expect(data == Data("ok".utf8))
      #expect(server.acceptedConnections == (wire.isMultiplexed ? 1 : 2))
      try await server.waitForExchanges(open: 0)
      #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
      #expect(server.requests.map(\.text) == ["", "content"])
    }
  }

  @Test(arguments: Wire.allCases) func expectationIsNeverMadeUnasked(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"), .text("ok"))
      _ = try await session.upload(for: URLRequest("PUT", server.url()), from: Data(count: 2_000_000))
      // And not without a body, whatever the app says.
      _ = try await session.upload(for: ExpectContinueTests.request(server), from: Data())
      #expect(server.requests.map { $0.headers["Expect"] } == [nil, nil])
      session.invalidateAndCancel()
    }
  }
}
