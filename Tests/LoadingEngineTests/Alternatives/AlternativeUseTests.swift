import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import HTTPTransport
@testable import LoadingEngine

/// Which loads HTTP/3 serves, and what the others say about why it didn't.
@Suite(.timeLimit(.minutes(10))) struct AlternativeUseTests {
  private let authority: TestCertificateAuthority
  private let options: TestServer.Options

  init() throws {
    authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.routes.add("/", .GET) { _ in .text("over TCP") }
    self.options = options
  }

  @Test func connectionThatComesLaterTakesOver() async throws {
    try await TestServer.with(options) { server in
      let bench = try await AlternativeBench(server: authority)
      let url = server.url("/").absoluteString
      let first = bench.begin(url)
      let opening = try await bench.quic.opening()
      let outcome = await first.outcome
      #expect(outcome.body == "over TCP")
      #expect(outcome.records.last?.alternative == .lostRace)
      opening.succeed()
      try await bench.settle()
      let second = await bench.begin(url).outcome
      #expect(second.records.last?.networkProtocolName == "h3")
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test func failureIsToldInTheNextRecord() async throws {
    try await TestServer.with(options) { server in
      let bench = try await AlternativeBench(server: authority)
      let url = server.url("/").absoluteString
      let first = bench.begin(url)
      let opening = try await bench.quic.opening()
      #expect(await first.outcome.body == "over TCP")
      opening.fail()
      try await bench.settle()
      let second = await bench.begin(url).outcome
      let until = bench.clock.now.advanced(bySeconds: AlternativeRules.firstPause)
      #expect(second.records.last?.alternative == .broken(until: until))
    }
  }

  @Test func originThatIsSaidToBeServedOverHTTP3IsTriedBesideItsConnections() async throws {
    try await TestServer.with(options) { server in
      let bench = try await AlternativeBench(isKnown: false, server: authority)
      let url = server.url("/").absoluteString
      let first = await bench.begin(url).outcome
      #expect(first.records.last?.alternative == .noneKnown)
      try await bench.know(AlternativeBench.endpoint)
      let pool = bench.stages.session.pool
      let origin = try #require(LoadRequest(url).target?.origin)
      try await bench.stages.onLoop { pool.alternatives.appeared(origin) }
      #expect(await bench.begin(url).outcome.body == "over TCP")
      let opening = try await bench.quic.opening()
      opening.succeed()
      try await bench.settle()
      #expect(await bench.begin(url).outcome.records.last?.alternative == .used)
    }
  }

  @Test func placeThatIsFoundWhileALoadWaitsIsTriedAtOnce() async throws {
    let bench = try await AlternativeBench(isKnown: false)
    bench.tcp.answer(.silent)
    let load = bench.begin()
    _ = try await bench.tcp.peer()
    try await bench.know(AlternativeBench.endpoint)
    let pool = bench.stages.session.pool
    let origin = try #require(LoadRequest(AlternativeBench.url).target?.origin)
    try await bench.stages.onLoop { pool.alternatives.appeared(origin) }
    try await bench.quic.opening().succeed()
    #expect(await load.outcome.records.last?.alternative == .used)
  }

  @Test func sessionWithoutHTTP3DoesNotTryIt() async throws {
    try await TestServer.with(options) { server in
      let bench = try await AlternativeBench(server: authority) { $0.versions = .http1AndHTTP2 }
      let outcome = await bench.begin(server.url("/").absoluteString).outcome
      #expect(outcome.records.last?.alternative == .ruledOut)
      #expect(bench.quic.attempts == 0)
    }
  }

  @Test func loadThatNeedsAFreshConnectionDoesNotTryIt() async throws {
    try await TestServer.with(options) { server in
      let bench = try await AlternativeBench(server: authority)
      let outcome = await bench.begin(server.url("/").absoluteString) { $0.context.terms.need = .fresh }.outcome
      #expect(outcome.records.last?.alternative == .ruledOut)
      #expect(bench.quic.attempts == 0)
    }
  }

  @Test func requestThatAssumesHTTP3TriesItsOrigin() async throws {
    let bench = try await AlternativeBench(isKnown: false)
    bench.tcp.answer(.silent)
    var request = LoadRequest("https://192.0.2.1:8443/")
    request.mutate { $0.assumesHTTP3Capable = true }
    let load = bench.begin(request)
    let opening = try await bench.quic.opening()
    #expect(opening.endpoint == AlternativeEndpoint(host: "192.0.2.1", port: 8443))
    opening.succeed()
    #expect(await load.outcome.records.last?.alternative == .used)
  }

  /// HTTP/3 serves a load first and breaks before it has answered; from then on TCP is refused.
  private func loadWhoseConnectionBreaks(_ bench: AlternativeBench) async throws -> BenchLoad {
    bench.tcp.answer(.silent, .refused)
    let load = bench.begin()
    _ = try await bench.tcp.peer()
    let connection = try await bench.quic.opening().succeed(isSilent: true)
    try await connection.received(1)
    try await connection.die(.staleConnection)
    return load
  }

  @Test func connectionThatFailsWithItsFirstRequestLeavesTheNextToTCP() async throws {
    let bench = try await AlternativeBench()
    let load = try await loadWhoseConnectionBreaks(bench)
    // Nothing else is left than the place that has failed.
    try await bench.quic.opening(1).fail()
    #expect(await load.outcome.error?.kind == .cannotConnectToHost)
    #expect(bench.tcp.attempts == 2)
    #expect(bench.quic.attempts == 2)
    // Until it may be tried again.
    bench.tcp.answer(.refused)
    #expect(await bench.begin().outcome.error?.kind == .cannotConnectToHost)
    #expect(bench.quic.attempts == 2)
  }

  /// However many they are.
  @Test func connectionThatAnswersNoneOfItsRequestsLeavesThemToTCP() async throws {
    let bench = try await AlternativeBench()
    bench.tcp.answer(.silent, .silent, .silent)
    let loads = [bench.begin(), bench.begin()]
    let connection = try await bench.quic.opening().succeed(isSilent: true)
    try await connection.received(2)
    try await connection.die(.staleConnection)
    let pool = bench.stages.session.pool
    while try await bench.stages.onLoop({ pool.waiting.all.count < 2 }) { await Task.yield() }
    #expect(try await bench.stages.onLoop { pool.alternatives.races.isEmpty })
    for load in loads {
      load.cancel()
      #expect(await load.outcome.error?.kind == .cancelled)
    }
  }

  @Test func placeThatHasFailedServesWhereTCPIsRefused() async throws {
    let bench = try await AlternativeBench()
    let load = try await loadWhoseConnectionBreaks(bench)
    try await bench.quic.opening(1).succeed()
    #expect(await load.outcome.records.last?.networkProtocolName == "h3")
    #expect(bench.tcp.attempts == 2)
  }

  @Test func requestThatIsRefusedGoesOnTheNextConnection() async throws {
    let bench = try await AlternativeBench()
    let connection = try await bench.prove()
    try await connection.fallSilent()
    let load = bench.begin()
    try await connection.received(2)
    try await connection.goAway()
    try await bench.quic.opening(1).succeed()
    let outcome = await load.outcome
    #expect(outcome.status == 200)
    #expect(outcome.records.count == 2)
  }

  /// HTTP/3 takes the other load along to a network that the session may not use.
  @Test func loadLeavesAConnectionThatMovesToANetworkThatItMayNotUse() async throws {
    let network = VirtualNetwork(.toTestServers(.wired))
    let bench = try await AlternativeBench { settings in
      settings.network = network
      settings.networkAccess = .all.subtracting(.cellular)
    }
    bench.tcp.answer(.silent)
    let load = bench.begin()
    let connection = try await bench.quic.opening().succeed(isSilent: true)
    try await connection.received(1)
    network.change(to: NetworkConditions.Interface("wwan0", .cellular, addresses: ["10.0.1.1"], hasDefaultRoute: true))
    try await connection.move(to: "10.0.1.1")
    let error = await load.outcome.error
    #expect(error?.kind == .notConnectedToInternet)
    #expect(error?.networkObstacle == .cellular)
  }

  @Test func sessionWithHTTP3AloneTellsItsFailure() async throws {
    let bench = try await AlternativeBench { $0.versions = .http3Only }
    let load = bench.begin()
    try await bench.quic.opening().fail(.timedOut)
    #expect(await load.outcome.error?.kind == .timedOut)
    #expect(bench.tcp.attempts == 0)
    // Nothing else is there to be tried.
    let second = bench.begin()
    try await bench.quic.opening(1).succeed()
    #expect(await second.outcome.records.last?.networkProtocolName == "h3")
  }

  @Test(arguments: ["http://192.0.2.1/", "wss://192.0.2.1/"]) func sessionWithHTTP3AloneRefusesOthers(url: String) async throws {
    let bench = try await AlternativeBench { $0.versions = .http3Only }
    #expect(await bench.begin(url).outcome.error?.kind == .cannotConnectToHost)
    #expect(bench.tcp.attempts + bench.quic.attempts == 0)
  }
}
