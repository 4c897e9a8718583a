import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

/// The conditions between the last stages and their connections: networks that a load may not use, and the wait for one that it may.
@Suite(.timeLimit(.minutes(10))) struct ExchangeStageConnectivityTests {
  private let request = LoadRequest("http://192.0.2.1/")
  private static let expensive = NetworkConditions.Interface.toTestServers(.wifi, metering: .declared)
  private static let open = NetworkConditions.Interface.toTestServers(.wifi)

  private static func bench(_ network: VirtualNetwork, waits: Bool) -> StageBench {
    StageBench {
      $0.network = network
      $0.networkAccess = .all.subtracting(.expensive)
      $0.waitsForConnectivity = waits
    }
  }

  private func begin(_ bench: StageBench, _ client: RecordingClient) -> BenchLoad {
    bench.begin(request, through: [ExchangeStage(session: bench.session)], client)
  }

  private func answer(_ bench: StageBench) async throws {
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
  }

  @Test func networkThatTheLoadMayUseIsUsed() async throws {
    let bench = ExchangeStageConnectivityTests.bench(VirtualNetwork(ExchangeStageConnectivityTests.open), waits: false)
    let load = begin(bench, RecordingClient())
    try await answer(bench)
    #expect(await load.outcome.status == 200)
  }

  @Test func networkThatTheLoadMayNotUseIsLeftAlone() async {
    let bench = ExchangeStageConnectivityTests.bench(VirtualNetwork(ExchangeStageConnectivityTests.expensive), waits: false)
    let client = RecordingClient()
    let error = await begin(bench, client).outcome.error
    #expect(error?.kind == .notConnectedToInternet)
    #expect(error?.networkObstacle == .expensive)
    #expect(client.events.isEmpty)
    #expect(bench.network.attempts == 0)
  }

  @Test func loadWaitsForANetworkThatItMayUse() async throws {
    let network = VirtualNetwork(ExchangeStageConnectivityTests.expensive)
    let bench = ExchangeStageConnectivityTests.bench(network, waits: true)
    let client = RecordingClient()
    let load = begin(bench, client)
    try await client.received(.waitsForConnectivity)
    #expect(bench.network.attempts == 0)
    network.change(to: ExchangeStageConnectivityTests.open)
    try await answer(bench)
    #expect(await load.outcome.status == 200)
    // Said once, however often the networks change.
    #expect(client.events == [.waitsForConnectivity])
  }

  @Test func loadThatIsCancelledWhileItWaitsForANetworkEnds() async throws {
    let network = VirtualNetwork(ExchangeStageConnectivityTests.expensive)
    let bench = ExchangeStageConnectivityTests.bench(network, waits: true)
    let client = RecordingClient()
    let load = begin(bench, client)
    try await client.received(.waitsForConnectivity)
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(bench.network.attempts == 0)
  }

  @Test func serverThatIsAwayIsTriedAgainAfterAWhile() async throws {
    let bench = ExchangeStageConnectivityTests.bench(VirtualNetwork(ExchangeStageConnectivityTests.open), waits: true)
    bench.network.answer(.unreachable, .unreachable)
    let client = RecordingClient()
    let load = begin(bench, client)
    try await client.received(.waitsForConnectivity)
    try await bench.clock.waitForWake(within: 1)
    bench.clock.advance(by: 1)
    let peer = try await bench.network.peer(2)
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    #expect(await load.outcome.status == 200)
  }
}
