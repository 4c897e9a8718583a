import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct RetryPolicyTests {
  private func serve(
    _ wire: Wire, _ policy: URLSessionRetryPolicy?, _ replies: [Reply], _ body: (TestServer, URLSession, ManualClock) async throws -> Void
  ) async throws {
    try await wire.serve { server, configuration async throws in
      let clock = ManualClock()
      configuration.use(clock)
      configuration.timeoutIntervalForRequest = 86_400_000
      configuration.retryPolicy = policy
      server.enqueue(contentsOf: replies)
      let session = URLSession(configuration: configuration)
      try await body(server, session, clock)
      session.invalidateAndCancel()
    }
  }

  private static let atOnce = URLSessionRetryPolicy(firstDelay: 0)

  private func status(_ session: URLSession, _ request: URLRequest) async throws -> Int? {
    (try await session.data(for: request).1 as? HTTPURLResponse)?.statusCode
  }

  @Test(arguments: Wire.allCases) func passingFailureIsRepeated(_ wire: Wire) async throws {
    try await serve(wire, Self.atOnce, [Reply(503), Reply(500), .text("ok")]) { server, session, _ async throws in
      let recorder = DelegateRecorder()
      let (data, _) = try await session.data(for: URLRequest(url: server.url()), delegate: recorder)
      #expect(data == Data("ok".utf8) && server.requests.count == 3)
    }
  }

  @Test(arguments: Wire.allCases) func lastAttemptsResponseIsTheTasks(_ wire: Wire) async throws {
    try await serve(wire, Self.atOnce, [Reply(503), Reply(503), Reply(503), .text("ok")]) { server, session, _ async throws in
      #expect(try await status(session, URLRequest(url: server.url())) == 503)
      #expect(server.requests.count == 3)
    }
  }

  @Test(arguments: Wire.allCases) func nothingIsRepeatedWithoutAPolicy(_ wire: Wire) async throws {
    try await serve(wire, nil, [Reply(503), .text("ok")]) { server, session, _ async throws in
      #expect(try await status(session, URLRequest(url: server.url())) == 503)
      var request = URLRequest(url: server.url())
      request.retryPolicy = URLSessionRetryPolicy(maximumAttempts: 1)
      #expect(try await status(session, request) == 200 && request.retryPolicy?.maximumAttempts == 1)
    }
  }

  @Test(arguments: Wire.allCases) func requestsPolicyCountsBeforeTheSessions(_ wire: Wire) async throws {
    try await serve(wire, Self.atOnce, [Reply(503), .text("ok")]) { server, session, _ async throws in
      var request = URLRequest(url: server.url())
      request.retryPolicy = URLSessionRetryPolicy(maximumAttempts: 1)
      #expect(try await status(session, request) == 503)
    }
  }

  @Test(arguments: Wire.allCases) func unsafeRequestsNeedAKey(_ wire: Wire) async throws {
    try await serve(wire, Self.atOnce, [Reply(503), Reply(503), .text("ok")]) { server, session, _ async throws in
      var request = URLRequest("POST", server.url())
      request.httpBody = Data("order".utf8)
      #expect(try await status(session, request) == 503 && server.requests.count == 1)
      request.setValue("7", forHTTPHeaderField: "Idempotency-Key")
      #expect(try await status(session, request) == 200)
      #expect(server.requests.map(\.text) == ["order", "order", "order"])
    }
  }

  @Test(arguments: Wire.allCases) func retryAfterIsWaitedForAndCancelled(_ wire: Wire) async throws {
    let later = Reply(503, headers: ["Retry-After": "1"])
    try await serve(wire, Self.atOnce, [later, .text("ok"), later]) { server, session, clock async throws in
      async let first = status(session, URLRequest(url: server.url()))
      _ = try await server.waitForRequest(1)
      // Nothing else wakes so soon.
      try await clock.waitForWake(within: 1)
      #expect(server.requests.count == 1)
      clock.advance(by: 1)
      #expect(try await first == 200)
      let second = Task { try await status(session, URLRequest(url: server.url())) }
      _ = try await server.waitForRequest(3)
      second.cancel()
      await #expect(throws: URLError.self) { _ = try await second.value }
      #expect(server.requests.count == 3)
    }
  }

  @Test func longerWaitThanAllowedIsFinal() async throws {
    try await serve(.plain, Self.atOnce, [Reply(429, headers: ["Retry-After": "31"])]) { server, session, _ async throws in
      #expect(try await status(session, URLRequest(url: server.url())) == 429)
    }
  }

  @Test func brokenConnectionIsRepeated() async throws {
    try await serve(.plain, Self.atOnce, [Reply(200, faults: [.disconnectBeforeHeaders]), .text("ok")]) { server, session, _ async throws in
      #expect(try await status(session, URLRequest(url: server.url())) == 200)
      #expect(server.requests.count == 2)
    }
  }

  @Test func budgetBoundsTheRepetitions() async throws {
    let replies = (0..<200).map { _ in Reply(503) }
    try await serve(.plain, Self.atOnce, replies) { server, session, _ async throws in
      for _ in 0..<40 { #expect(try await status(session, URLRequest(url: server.url())) == 503) }
      // Forty loads, and the ten repetitions that a minute always has.
      #expect(server.requests.count == 50)
    }
  }

  @Test(arguments: [0, -1, .nan, .infinity] as [Double]) func valuesAreClamped(_ value: Double) {
    var policy = URLSessionRetryPolicy(maximumAttempts: -5, firstDelay: value, maximumDelay: value)
    policy.budget = value
    policy.errorCodes = [.cancelled, .timedOut]
    #expect(policy.maximumAttempts == 1 && (0...604_800).contains(policy.firstDelay) && (0...1).contains(policy.budget))
    #expect(policy.errorCodes == [.timedOut])
  }
}
