import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import HTTPTransport
@testable import LoadingEngine

/// HTTP/3 beside TCP: which one serves a load, and when each is tried.
@Suite(.timeLimit(.minutes(10))) struct AlternativeRaceTests {
  @Test func knownAlternativeServesTheLoadIfItIsReadyFirst() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.silent)
    let load = bench.begin()
    let peer = try await bench.tcp.peer()
    let opening = try await bench.quic.opening()
    #expect(opening.endpoint == AlternativeBench.endpoint)
    opening.succeed()
    let outcome = await load.outcome
    #expect(outcome.status == 200)
    #expect(outcome.records.last?.networkProtocolName == "h3")
    #expect(outcome.records.last?.alternative == .used)
    // The attempt over TCP isn't waited for any longer.
    try await peer.closed()
  }

  @Test func alternativeThatHasNeverWorkedDelaysNothing() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.silent)
    let load = bench.begin()
    _ = try await bench.tcp.peer()
    try await bench.quic.opening().succeed()
    #expect(await load.outcome.status == 200)
  }

  @Test func alternativeThatHasWorkedHasAHeadStart() async throws {
    let bench = try await AlternativeBench()
    try await bench.prove().die()
    bench.tcp.answer(.silent)
    let load = bench.begin()
    let opening = try await bench.quic.opening(1)
    try await bench.clock.waitForWake(within: AlternativeRules.headStart)
    #expect(bench.tcp.attempts == 1)
    bench.clock.advance(by: AlternativeRules.headStart)
    _ = try await bench.tcp.peer(1)
    opening.succeed()
    #expect(await load.outcome.records.last?.networkProtocolName == "h3")
  }

  @Test func connectionWithinTheHeadStartLeavesTCPUntried() async throws {
    let bench = try await AlternativeBench()
    try await bench.prove().die()
    let load = bench.begin()
    try await bench.quic.opening(1).succeed()
    #expect(await load.outcome.status == 200)
    bench.clock.advance(by: 1)
    #expect(await bench.begin().outcome.status == 200)
    #expect(bench.tcp.attempts == 1)
    #expect(bench.quic.attempts == 2)
  }

  @Test func failureEndsTheHeadStart() async throws {
    let bench = try await AlternativeBench()
    try await bench.prove().die()
    bench.tcp.answer(.refused)
    let load = bench.begin()
    try await bench.quic.opening(1).fail()
    #expect(await load.outcome.error?.kind == .cannotConnectToHost)
    #expect(bench.tcp.attempts == 2)
  }

  @Test func brokenAlternativeIsLeftAloneForAWhile() async throws {
    let bench = try await AlternativeBench()
    for pause in [300.0, 600, 1200] {
      let count = bench.quic.attempts
      bench.tcp.answer(.refused, .refused)
      let load = bench.begin()
      try await bench.quic.opening(count).fail()
      #expect(await load.outcome.error?.kind == .cannotConnectToHost)
      #expect(await bench.begin().outcome.error?.kind == .cannotConnectToHost)
      #expect(bench.quic.attempts == count + 1)
      bench.clock.advance(by: pause)
    }
  }

  @Test func changeOfNetworkForgetsThatItWasBroken() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.refused, .silent)
    let first = bench.begin()
    try await bench.quic.opening().fail()
    _ = await first.outcome
    let pool = bench.stages.session.pool
    try await bench.stages.onLoop { pool.networkChanged() }
    let second = bench.begin()
    try await bench.quic.opening(1).succeed()
    #expect(await second.outcome.status == 200)
  }

  @Test func loadWaitsAMomentForHTTP3WhereTCPFails() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.refused)
    let load = bench.begin()
    let opening = try await bench.quic.opening()
    try await bench.clock.waitForWake(within: AlternativeRules.patience)
    opening.succeed()
    #expect(await load.outcome.records.last?.networkProtocolName == "h3")
  }

  /// A server of UDP alone, on a busy machine.
  @Test func loadWaitsLongerWhereItIsSaidToBeThere() async throws {
    let bench = try await AlternativeBench(isKnown: false)
    bench.tcp.answer(.refused)
    var request = LoadRequest(AlternativeBench.url)
    request.mutate { $0.assumesHTTP3Capable = true }
    let load = bench.begin(request)
    let opening = try await bench.quic.opening()
    try await bench.clock.waitForWake(within: AlternativeRules.longPatience)
    bench.clock.advance(by: AlternativeRules.longPatience - 0.1)
    opening.succeed()
    #expect(await load.outcome.records.last?.networkProtocolName == "h3")
  }

  @Test func loadDoesNotWaitForHTTP3WhereTCPFailsLongerThanThat() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.refused)
    let load = bench.begin()
    let opening = try await bench.quic.opening()
    try await bench.clock.waitForWake(within: AlternativeRules.patience)
    bench.clock.advance(by: AlternativeRules.patience)
    #expect(await load.outcome.error?.kind == .cannotConnectToHost)
    opening.fail()
  }

  @Test func loadsThatWaitTogetherShareTheConnection() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.silent)
    let loads = (0..<5).map { _ in bench.begin() }
    let connection = try await bench.quic.opening().succeed(streams: 2)
    for load in loads { #expect(await load.outcome.status == 200) }
    #expect(bench.quic.attempts == 1)
    #expect(connection.requests == 5)
  }

  /// A delegate that leaves every question open.
  private final class Undecided: PeerEvaluator {
    var decider: AnyObject? { self }
    func evaluate(_ trust: PeerTrust, _ answer: @escaping @Sendable (TrustAnswer) -> Void) {}
    func identify(_ request: ClientCertificateRequest, _ answer: @escaping @Sendable (IdentityAnswer) -> Void) {}
  }

  @Test func appIsAskedByTheHandshakeThatComesToItFirst() async throws {
    let bench = try await AlternativeBench()
    let load = bench.begin(asking: Undecided())
    let opening = try await bench.quic.opening()
    // The handshake over TCP has begun.
    _ = try await bench.tcp.peer().receive(upTo: "\u{16}")
    let pool = bench.stages.session.pool
    // A later handshake of the attempt asks the same app.
    let asked = try await bench.stages.onLoop { [attempt = opening.attempt] in
      [pool.questions(for: attempt) != nil, pool.alternatives.asked(by: attempt) != nil, pool.alternatives.asked(by: attempt) != nil]
    }
    #expect(asked == [true, true, true])
    let yielded = try await bench.stages.onLoop { pool.attempts.all.filter(\.hasYielded).count }
    #expect(yielded == 1)
    // Where nothing comes of it, the one over TCP may ask.
    opening.fail()
    try await bench.settle()
    let free = try await bench.stages.onLoop { pool.waiting.all.filter { $0.attempt == nil }.count }
    #expect(free == 1)
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
  }

  @Test func loadThatIsCancelledEndsBothAttempts() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.silent)
    let load = bench.begin()
    let opening = try await bench.quic.opening()
    let peer = try await bench.tcp.peer()
    load.cancel()
    await opening.ended()
    try await peer.closed()
    #expect(await load.outcome.error?.kind == .cancelled)
    // That says nothing about the place.
    bench.tcp.answer(.silent)
    let next = bench.begin()
    try await bench.quic.opening(1).succeed()
    #expect(await next.outcome.status == 200)
  }
}
