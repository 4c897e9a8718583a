import Foundation
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ConnectivityTests {
  private func serve(
    _ network: VirtualNetwork, _ adjust: (URLSessionConfiguration) -> Void, delegate: (any URLSessionDelegate)? = nil,
    _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    try await Wire.plain.serve { server, configuration async throws in
      configuration.use(network)
      adjust(configuration)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [
    (NetworkConditions.Interface.toTestServers(.cellular), URLError.NetworkUnavailableReason.cellular),
    (.toTestServers(.wifi, metering: .supposed), .expensive), (.toTestServers(.wired, metering: .declared), .constrained),
  ])
  func forbiddenNetworkIsNamedAndNoConnectionIsOpened(
    _ interface: NetworkConditions.Interface, _ reason: URLError.NetworkUnavailableReason
  ) async throws {
    let network = VirtualNetwork(interface)
    try await serve(network) {
      switch reason {
      case .cellular: $0.allowsCellularAccess = false
      case .expensive: $0.allowsExpensiveNetworkAccess = false
      default: $0.allowsConstrainedNetworkAccess = false
      }
    } _: { server, session async throws in
      let error = await session.failure(of: server.url())
      #expect(error?.code == .notConnectedToInternet)
      #expect(error?.networkUnavailableReason == reason)
      #expect(error?.localizedDescription.contains("is false for this load") == true)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func requestOpensAnExpensiveNetworkThatItsSessionForbids() async throws {
    try await serve(VirtualNetwork(.toTestServers(.wifi, metering: .supposed))) {
      $0.allowsExpensiveNetworkAccess = false
    } _: { server, session async throws in
      server.enqueue(.text("x"))
      var request = URLRequest(url: server.url())
      request.allowsExpensiveNetworkAccess = true
      let (_, response) = try await session.data(for: request)
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }
  }

  @Test func requestAloneForbids() async throws {
    try await serve(VirtualNetwork(.toTestServers(.cellular)), { _ in }) { server, session async throws in
      var request = URLRequest(url: server.url())
      request.allowsCellularAccess = false
      #expect(await session.failure(of: request)?.networkUnavailableReason == .cellular)
      _ = try await session.data(from: server.url())
    }
  }

  @Test func keptConnectionOverAForbiddenNetworkIsGivenUp() async throws {
    let network = VirtualNetwork(.toTestServers(.cellular))
    try await serve(network, { _ in }) { server, session async throws in
      _ = try await session.data(from: server.url())
      // Another default route has come up, but the connection that is there still is the phone's, and so is a new one.
      network.change(
        to: NetworkConditions.Interface("net0", .cellular, addresses: ["127.0.0.1"], hasDefaultRoute: true),
        NetworkConditions.Interface("eth0", .wired, addresses: ["192.0.2.1"], hasDefaultRoute: true))
      var request = URLRequest(url: server.url())
      request.allowsCellularAccess = false
      #expect(await session.failure(of: request)?.networkUnavailableReason == .cellular)
      #expect(server.requests.count == 1)
      _ = try await session.data(from: server.url())
      // It was in the way of one over another network.
      #expect(server.requests.map(\.connection.ordinal) == [1, 2])
    }
  }

  @Test func loadThatMayNotUseAKeptConnectionOpensOneOverAnotherNetwork() async throws {
    let network = VirtualNetwork(.toTestServers(.cellular))
    try await serve(network, { _ in }) { server, session async throws in
      _ = try await session.data(from: server.url())
      // The connection that is there is the phone's; a look at a new one shows that it uses the cable.
      network.change(to: .toTestServers(.wired))
      network.show(
        NetworkConditions.Interface("net0", .cellular, addresses: ["127.0.0.1"], hasDefaultRoute: true),
        NetworkConditions.Interface("eth0", .wired, addresses: ["192.0.2.1"], hasDefaultRoute: true))
      var request = URLRequest(url: server.url())
      request.allowsCellularAccess = false
      _ = try await session.data(for: request)
      #expect(server.requests.map(\.connection.ordinal) == [1, 2])
    }
  }

  @Test func loadWaitsForANetworkThatItMayUseAndSaysSoOnce() async throws {
    let network = VirtualNetwork(.toTestServers(.cellular))
    let delegate = ConnectivityRecorder()
    try await serve(
      network,
      {
        $0.waitsForConnectivity = true
        $0.allowsCellularAccess = false
      }, delegate: delegate
    ) { server, session async throws in
      let load = Task { try await session.data(from: server.url()) }
      await delegate.first()
      // A change that helps nothing.
      network.change(to: .toTestServers(.cellular, metering: .declared))
      await session.barrier()
      #expect(server.requests.isEmpty)
      server.enqueue(.text("x"))
      network.change(to: .toTestServers(.wifi))
      let (_, response) = try await load.value
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(await delegate.rest() == 0)
    }
  }

  @Test func onlyTheTimeForTheResourceRunsWhileALoadWaits() async throws {
    let clock = ManualClock()
    let delegate = ConnectivityRecorder()
    try await serve(
      VirtualNetwork(.toTestServers(.cellular)),
      {
        $0.use(clock)
        $0.timeoutIntervalForRequest = 10
        $0.timeoutIntervalForResource = 100
        $0.waitsForConnectivity = true
        $0.allowsCellularAccess = false
      }, delegate: delegate
    ) { server, session async throws in
      let load = Task { await session.failure(of: server.url()) }
      await delegate.first()
      await session.barrier()
      clock.advance(by: 99)
      await session.barrier()
      clock.advance(by: 2)
      #expect(await load.value?.code == .timedOut)
    }
  }

  @Test func waitingLoadCanBeCancelled() async throws {
    let delegate = ConnectivityRecorder()
    try await serve(
      VirtualNetwork(.toTestServers(.cellular)),
      {
        $0.waitsForConnectivity = true
        $0.allowsCellularAccess = false
      }, delegate: delegate
    ) { server, session async throws in
      let load = Task { await session.failure(of: server.url()) }
      await delegate.first()
      load.cancel()
      #expect(await load.value?.code == .cancelled)
    }
  }

  @Test func backgroundSessionWaitsAndTellsNobody() async throws {
    let network = VirtualNetwork(.toTestServers(.cellular))
    let delegate = ConnectivityRecorder()
    try await Wire.plain.serve { server, _ async throws in
      let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
      configuration.use(network)
      configuration.allowsCellularAccess = false
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      server.enqueue(.text("x"))
      session.dataTask(with: server.url()).resume()
      await session.barrier()
      #expect(server.requests.isEmpty)
      network.change(to: .toTestServers(.wifi))
      _ = try await server.waitForRequest()
      session.finishTasksAndInvalidate()
      #expect(await delegate.rest() == 0)
    }
  }

  @Test(arguments: [
    (NetworkConditions.Interface.toTestServers(.cellular), [true, true, false]),
    (.toTestServers(.wifi, metering: .supposed), [false, true, false]), (.toTestServers(.wired, metering: .declared), [false, true, true]),
    (.toTestServers(.wired), [false, false, false]),
  ])
  func metricsTellTheKindOfNetwork(_ interface: NetworkConditions.Interface, _ kinds: [Bool]) async throws {
    try await serve(VirtualNetwork(interface), { _ in }) { server, session async throws in
      server.route("/", reply: .text("x"))
      for _ in 0..<2 {
        let recorder = DelegateRecorder()
        _ = try await session.data(from: server.url(), delegate: recorder)
        await session.barrier()
        let transaction = try #require(recorder.metrics?.transactionMetrics.last)
        #expect([transaction.isCellular, transaction.isExpensive, transaction.isConstrained] == kinds)
      }
    }
  }

  @Test func lookingUpANameWithoutAnyNetworkIsBeingOffline() async throws {
    try await serve(VirtualNetwork(NetworkConditions.Interface("lo", .loopback, addresses: ["127.0.0.1"])), { _ in }) {
      _, session async throws in
      // RFC 6761: resolvers answer for this name by themselves.
      let url = try #require(URL(string: "http://no-such-host.invalid/"))
      #expect(await session.failure(of: url)?.code == .notConnectedToInternet)
    }
  }
}
