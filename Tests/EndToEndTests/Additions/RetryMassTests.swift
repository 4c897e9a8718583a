import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Thousands of loads with a policy, against a server that fails, by the server's count.
@Suite(.timeLimit(.minutes(10))) struct RetryMassTests {
  private enum Kind: Int, CaseIterable {
    case served, busyOnce, busyAlways, cutOnce, order, cutOrder, keyedOrder

    init(_ number: Int) { self = Kind.allCases[number % Kind.allCases.count] }

    var method: String {
      switch self {
      case .served, .busyOnce, .busyAlways, .cutOnce: "GET"
      case .order, .cutOrder, .keyedOrder: "POST"
      }
    }

    /// How often the server may be asked.
    var limit: Int {
      switch self {
      case .served, .order, .cutOrder: 1
      // What breaks off without a response may be repeated by the loader itself.
      case .busyOnce, .cutOnce: 2
      case .busyAlways, .keyedOrder: 3
      }
    }

    func reply(attempt: Int, _ wire: Wire) -> Reply {
      let cut: Fault = wire.isMultiplexed ? .resetStream(code: 2) : .reset
      return switch self {
      case .served: .text("ok")
      case .busyOnce: attempt == 1 ? Reply(503, headers: ["Retry-After": "0"]) : .text("ok")
      case .busyAlways, .order, .keyedOrder: Reply(503, headers: ["Retry-After": "0"])
      case .cutOnce: attempt == 1 ? Reply(faults: [cut]) : .text("ok")
      case .cutOrder: Reply(faults: [cut])
      }
    }
  }

  private static let count = 10_000
  private static let stalled = 20

  @Test(arguments: [Wire.plain, .h2]) func eachLoadKeepsToItsAttemptsAndTheSessionToItsBudget(_ wire: Wire) async throws {
    let attempts = Mutex<[Int: Int]>([:])
    try await wire.serve { server, configuration async throws in
      let clock = ManualClock()
      configuration.use(clock)
      configuration.httpMaximumConnectionsPerHost = 32
      configuration.retryPolicy = URLSessionRetryPolicy(firstDelay: 0)
      let session = URLSession(configuration: configuration)
      server.route("/load") { request in
        let number = request.headers["X-Number"].flatMap { Int($0) } ?? 0
        let attempt = attempts.withLock { attempts in
          attempts[number, default: 0] += 1
          return attempts[number, default: 0]
        }
        return Kind(number).reply(attempt: attempt, wire)
      }
      let url = server.url("/load")
      await Self.run(Self.count, atOnce: 100) { number in
        let kind = Kind(number)
        var request = URLRequest(kind.method, url, body: kind.method == "POST" ? Data("order".utf8) : nil)
        request.setValue("\(number)", forHTTPHeaderField: "X-Number")
        if kind == .keyedOrder { request.setValue("\(number)", forHTTPHeaderField: "Idempotency-Key") }
        let status = (try? await session.data(for: request).1 as? HTTPURLResponse)?.statusCode
        switch kind {
        case .served: #expect(status == 200)
        case .order, .busyAlways, .keyedOrder: #expect(status == 503)
        case .cutOrder: #expect(status == nil)
        // Where the budget is used up, the first answer is the last.
        case .busyOnce, .cutOnce: break
        }
      }
      let counts = attempts.withLock { $0 }
      for (number, attempts) in counts { #expect(attempts <= Kind(number).limit, "load \(number), \(Kind(number))") }
      // What was repeated after a status is the policy's alone.
      let repeated = counts.filter { [.busyOnce, .busyAlways, .keyedOrder].contains(Kind($0.key)) }.reduce(0) { $0 + $1.value - 1 }
      #expect(repeated > 0 && repeated <= Self.count / 5, "\(repeated)")
      try await stall(server, session, clock)
      session.invalidateAndCancel()
    }
  }

  /// A load's own timeout is final.
  private func stall(_ server: TestServer, _ session: URLSession, _ clock: ManualClock) async throws {
    let gate = Gate()
    let before = server.requestCount
    server.route("/stall", reply: Reply(faults: [.delayBeforeHeaders(gate)]))
    let url = server.url("/stall")
    async let failures: [URLError.Code] = withTaskGroup(of: URLError.Code?.self) { group in
      for _ in 0..<Self.stalled { group.addTask { await session.failure(of: url)?.code } }
      return await group.reduce(into: []) { if let code = $1 { $0.append(code) } }
    }
    _ = try await server.waitForRequest(before + Self.stalled)
    // What is sent counts as activity, and is noted behind the server's receipt.
    await session.barrier()
    clock.advance(by: 61)
    #expect(await failures == Array(repeating: .timedOut, count: Self.stalled))
    #expect(server.requestCount == before + Self.stalled)
    gate.open()
  }

  private static func run(_ count: Int, atOnce: Int, _ load: @escaping @Sendable (Int) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        if number >= atOnce { await group.next() }
        group.addTask { await load(number) }
      }
    }
  }
}
