import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine
@testable import HTTPTransport

/// Loads whose app is asked about servers, and HTTP/3 beside TCP.
@Suite(.timeLimit(.minutes(10))) struct AlternativeQuestionTests {
  /// A delegate that trusts what passes the evaluation.
  private final class Trusting: PeerEvaluator {
    var decider: AnyObject? { self }
    func evaluate(_ trust: PeerTrust, _ answer: @escaping @Sendable (TrustAnswer) -> Void) { answer(.standard) }
    func identify(_ request: ClientCertificateRequest, _ answer: @escaping @Sendable (IdentityAnswer) -> Void) { answer(.none) }
  }

  /// Brings the attempt over QUIC to its question: its load's app is asked by it.
  private func ask(_ bench: AlternativeBench, _ opening: ScriptedAlternatives.Opening) async throws {
    let pool = bench.stages.session.pool
    let isAsked = try await bench.stages.onLoop { [attempt = opening.attempt] in
      pool.questions(for: attempt) != nil && pool.alternatives.asked(by: attempt)?.isWaiting == true
    }
    #expect(isAsked)
  }

  @Test func verdictAboutTheAlternativeLeavesTheLoadToTCP() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.silent)
    let pool = bench.stages.session.pool
    let refuted = Mutex<[AlternativeEndpoint]>([])
    try await bench.stages.onLoop { pool.alternatives.refuted = { endpoint, _ in refuted.withLock { $0.append(endpoint) } } }
    let load = bench.begin(asking: Trusting())
    let opening = try await bench.quic.opening()
    try await ask(bench, opening)
    opening.fail(.serverCertificateUntrusted)
    try await bench.settle()
    #expect(refuted.withLock { $0 } == [AlternativeBench.endpoint])
    // It still waits for TCP, whose handshake asks. The next answer is the next load's.
    _ = try await bench.tcp.peer()
    let waiting = try await bench.stages.onLoop { pool.waiting.all.map { $0.attempt == nil } }
    #expect(waiting == [true])
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    // The place is left alone.
    bench.tcp.answer(.refused)
    #expect(await bench.begin(asking: Trusting()).outcome.error?.kind == .cannotConnectToHost)
    #expect(bench.quic.attempts == 1)
  }

  @Test func loadWaitsForItsAppWhereTCPFails() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.refused, .refused)
    let load = bench.begin(asking: Trusting())
    let opening = try await bench.quic.opening()
    try await bench.clock.waitForWake(within: AlternativeRules.patience)
    try await ask(bench, opening)
    bench.clock.advance(by: 30)
    opening.succeed(accepted: .confirmed)
    #expect(await load.outcome.records.last?.networkProtocolName == "h3")
    #expect(bench.tcp.attempts == 1)
  }

  @Test func loadBesideTheOneThatIsAskedIsTold() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.refused, .refused, .refused, .refused)
    let asked = bench.begin(asking: Trusting())
    let opening = try await bench.quic.opening()
    try await bench.clock.waitForWake(within: AlternativeRules.patience)
    try await ask(bench, opening)
    let other = bench.begin()
    let pool = bench.stages.session.pool
    while try await bench.stages.onLoop({ pool.waiting.all.count < 2 }) { await Task.yield() }
    bench.clock.advance(by: AlternativeRules.patience)
    #expect(await other.outcome.error?.kind == .cannotConnectToHost)
    opening.succeed(accepted: .confirmed)
    #expect(await asked.outcome.status == 200)
  }

  @Test func handshakeWithoutALoadToAskEndsAfterAWhile() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.silent)
    let load = bench.begin(asking: Trusting())
    let opening = try await bench.quic.opening()
    let pool = bench.stages.session.pool
    try await bench.stages.onLoop { [attempt = opening.attempt] in
      _ = pool.questions(for: attempt)
      pool.alternatives.lacksAsker(attempt)
    }
    try await bench.clock.waitForWake(within: AlternativeRules.askerPatience)
    opening.fail()
    try await bench.settle()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
  }

  /// A load that waits still can't use it, and no other comes.
  @Test func connectionThatComesAfterTheSessionsEndIsNotKept() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.silent)
    let load = bench.begin()
    let opening = try await bench.quic.opening()
    let pool = bench.stages.session.pool
    let connection = try await bench.stages.onLoop {
      let connection = opening.succeed(accepted: .overridden(by: 7))
      pool.drain()
      return connection
    }
    var isKept = true
    for _ in 0..<1000 where isKept { isKept = try await bench.stages.onLoop { connection.isOpen } }
    #expect(!isKept)
    load.cancel()
    _ = await load.outcome
  }

  /// Its server says how many streams it allows before the attempt has handed it over.
  @Test func connectionThatIsNotHandedOverYetIsLeftAlone() async throws {
    let bench = try await AlternativeBench()
    let pool = bench.stages.session.pool
    let origin = try #require(LoadRequest(AlternativeBench.url).target?.origin)
    let isOpen = try await bench.stages.onLoop {
      let attempt = ConnectAttempt(7, Destination(origin, offer: .own(7)), for: nil, offersHTTP2: true)
      let connection = ScriptedConnection(attempt, pool, pool.executor.eventLoop, .evaluated, 100, isSilent: true)
      pool.connectionGainedStreams(connection)
      return connection.isOpen
    }
    #expect(isOpen)
  }

  @Test func openConnectionIsLeftForHTTP3() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.routes.add("/", .GET) { _ in .text("over TCP") }
    try await TestServer.with(options) { server in
      let bench = try await AlternativeBench(isKnown: false, server: authority)
      let url = server.url("/").absoluteString
      let app = Trusting()
      #expect(await bench.begin(url, asking: app).outcome.body == "over TCP")
      try await bench.know(AlternativeBench.endpoint)
      let pool = bench.stages.session.pool
      let origin = try #require(LoadRequest(url).target?.origin)
      try await bench.stages.onLoop { pool.alternatives.appeared(origin) }
      #expect(await bench.begin(url, asking: app).outcome.body == "over TCP")
      let opening = try await bench.quic.opening()
      // What was evaluated without an app serves other loads alone.
      let isForApps = try await bench.stages.onLoop { [attempt = opening.attempt] in pool.questions(for: attempt) != nil }
      #expect(isForApps)
      opening.succeed(accepted: .confirmed)
      try await bench.settle()
      #expect(await bench.begin(url, asking: app).outcome.records.last?.networkProtocolName == "h3")
      #expect(server.acceptedConnections == 1)
    }
  }
}
