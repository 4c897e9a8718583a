import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(1))) struct ExpectContinueTests {
  private static let done = RawStep.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

  private static func request(_ server: TestServer) -> URLRequest {
    var request = URLRequest("PUT", server.url())
    request.setValue("100-continue", forHTTPHeaderField: "Expect")
    return request
  }

  /// Runs `body` with a session whose clock stands still.
  private func serve(
    _ scripts: [RawStep]..., body: (TestServer, URLSession, ManualClock) async throws -> Void
  ) async throws {
    var options = try Wire.plain.options()
    options.behaviour = .rawInTurn(scripts)
    let clock = ManualClock()
    let configuration = try Wire.plain.configuration(clock: clock)
    try await TestServer.with(options) { server in
      let session = URLSession(configuration: configuration)
      try await body(server, session, clock)
      session.invalidateAndCancel()
    }
  }

  @Test func bodyFollowsThe100() async throws {
    try await serve([.readRequestHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .read(count: 7), ExpectContinueTests.done]) {
      server, session, _ async throws in
      let (data, _) = try await session.upload(for: ExpectContinueTests.request(server), from: Data("content".utf8))
      #expect(data == Data("ok".utf8))
    }
  }

  @Test func bodyGoesAfterASecondWithoutAnAnswer() async throws {
    try await serve([.readRequestHead, .read(count: 7), ExpectContinueTests.done]) { server, session, clock async throws in
      async let loaded = session.upload(for: ExpectContinueTests.request(server), from: Data("content".utf8))
      try await clock.waitForWake(within: 1)
      clock.advance(by: 1)
      #expect(try await loaded.0 == Data("ok".utf8))
    }
  }

  @Test(arguments: [401, 413, 500]) func finalAnswerKeepsTheBodyFromBeingSent(_ status: Int) async throws {
    let refusal = RawStep.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
    try await serve([.readRequestHead, refusal], [.readRequestHead, ExpectContinueTests.done]) { server, session, _ async throws in
      let (_, response) = try await session.upload(for: ExpectContinueTests.request(server), from: Data("content".utf8))
      #expect((response as? HTTPURLResponse)?.statusCode == status)
      // The connection still owes a body: the next load has another.
      _ = try await session.data(from: server.url())
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test func refusedExpectationIsLeftOutTheSecondTime() async throws {
    let refusal = RawStep.send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
    try await serve([.readRequestHead, refusal], [.readRequestHead, .read(count: 7), ExpectContinueTests.done]) {
      server, session, _ async throws in
      let (data, _) = try await session.upload(for: ExpectContinueTests.request(server), from: Data("content".utf8))
      #expect(data == Data("ok".utf8))
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test func expectationIsNeverMadeUnasked() async throws {
    try await Wire.plain.serve { server, configuration async throws in
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
