import ChildProcesses
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What happens to loads in a network of their own: real interfaces, addresses and routes, which come and go.
enum NetworkScenario: String, CaseIterable, Sendable {
  case loadWaitsForARouteAndGoesOn
  case waitEndsWithTheTimeForTheResource
  case requestsInFlightFindTheOtherAddress
  case attemptInFlightIsGivenUpWithItsAddress
  case cellularInterfaceIsRefusedAndToldByMetrics
  case meteredDeviceIsRefusedAndToldByMetrics
  case namesAreAskedForOnceUntilTheyExpire
  case failuresOfNamesAreToldApart
  case silentFamilyIsNotWaitedFor
  case deadAddressIsOvertaken
  case systemTableHoldsAgainstTheDNS
  case manyLoadsOutliveTheirAddresses
  case downloadOutlivesItsAddress
  case uploadOutlivesItsAddress
  #if HTTP3
    case recordsOfHTTPSAreFound
  #endif

  static let variable = "NETWORK_SCENARIO"

  /// How often the resolver asks a name server that stays silent (resolv.conf(5); 5 is the most).
  static let attempts = 5

  /// What this process is to go through; nil if it is no child.
  static let here = ProcessInfo.processInfo.environment[variable].flatMap { NetworkScenario(rawValue: $0) }

  /// What the child finds in the place of the system's files.
  var files: [String: String] {
    [
      "/etc/hosts": "127.0.0.1 localhost\n10.99.0.1 two.test\n10.98.0.1 two.test\n10.99.0.1 other alias.test # one\n::1 six.test\n",
      // A look-up that waited for a silent family would ask for it `attempts` times, half a minute apart.
      "/etc/resolv.conf": "nameserver 127.0.0.1\noptions timeout:30 attempts:\(NetworkScenario.attempts)\n",
      "/etc/nsswitch.conf": "hosts: files dns\n",
    ]
  }

  func run(_ network: PrivateNetwork) async throws {
    try network.addCable("eth7", "peer7")
    switch self {
    case .loadWaitsForARouteAndGoesOn: try await waitForRoute(network)
    case .waitEndsWithTheTimeForTheResource: try await waitInVain()
    case .requestsInFlightFindTheOtherAddress: try await loseAddress(network)
    case .attemptInFlightIsGivenUpWithItsAddress: try await loseAddressOfAttempt(network)
    case .cellularInterfaceIsRefusedAndToldByMetrics: try await refuseCellular(network)
    case .meteredDeviceIsRefusedAndToldByMetrics: try await refuseMetered(network)
    case .namesAreAskedForOnceUntilTheyExpire: try await keepNames(network)
    case .failuresOfNamesAreToldApart: try await tellFailuresApart(network)
    case .silentFamilyIsNotWaitedFor: try await skipSilentFamily(network)
    case .deadAddressIsOvertaken: try await overtake(network)
    case .systemTableHoldsAgainstTheDNS: try await holdTable(network)
    case .manyLoadsOutliveTheirAddresses: for wire in Wire.overTCP { try await changeAddresses(network, wire) }
    case .downloadOutlivesItsAddress: try await outliveAddressInDownload(network)
    case .uploadOutlivesItsAddress: try await outliveAddressInUpload(network)
    #if HTTP3
      case .recordsOfHTTPSAreFound: try await findServiceBindings(network)
    #endif
    }
  }

  /// A server that is reached by whatever address there is.
  func serve(
    _ adjust: (URLSessionConfiguration) -> Void = { _ in }, delegate: (any URLSessionDelegate)? = nil,
    _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    var options = TestServer.Options.http
    options.address = "0.0.0.0"
    try await TestServer.with(options) { server in
      let configuration = URLSessionConfiguration.testing()
      adjust(configuration)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  // MARK: waiting

  private func waitForRoute(_ network: PrivateNetwork) async throws {
    let delegate = ConnectivityRecorder()
    try await serve({ $0.waitsForConnectivity = true }, delegate: delegate) { server, session async throws in
      server.enqueue(.text("there"))
      let load = Task { try await session.text(from: server.url("/", host: "10.99.0.1")).0 }
      await delegate.first()
      #expect(server.acceptedConnections == 0)
      try network.ip("addr", "add", "10.98.0.1/24", "dev", "eth7")
      try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
      #expect(try await load.value == "there")
      #expect(await delegate.rest() == 0)
      // Without waiting, there being no route is an error at once.
      let url = server.url("/", host: "10.97.0.1")
      let other = URLSession(configuration: .testing())
      #expect(await other.failure(of: url)?.code == .notConnectedToInternet)
      other.invalidateAndCancel()
    }
  }

  private func waitInVain() async throws {
    let clock = ManualClock()
    let delegate = ConnectivityRecorder()
    try await serve(
      {
        $0.use(clock)
        $0.waitsForConnectivity = true
        $0.timeoutIntervalForRequest = 10
        $0.timeoutIntervalForResource = 100
      }, delegate: delegate
    ) { server, session async throws in
      let load = Task { await session.failure(of: server.url("/", host: "10.99.0.1")) }
      await delegate.first()
      await session.flush()
      clock.advance(by: 99)
      await session.flush()
      #expect(await delegate.rest() == 0)
      clock.advance(by: 1)
      #expect(await load.value?.code == .timedOut)
    }
  }

  // MARK: addresses that vanish

  private func loseAddress(_ network: PrivateNetwork) async throws {
    try network.addCable("eth8", "peer8")
    try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
    try await serve { server, session async throws in
      let gate = Gate()
      server.enqueue(.text("lost").with(.delayBeforeHeaders(gate)), .text("lost").with(.delayBeforeHeaders(gate)), .text("found"))
      let url = server.url("/", host: "two.test")
      let safe = Task { try await session.text(from: url).0 }
      let other = Task { await session.failure(of: URLRequest("POST", url, body: Data("x".utf8))) }
      try await gate.reached(2)
      try network.ip("addr", "add", "10.98.0.1/24", "dev", "eth8")
      try network.ip("addr", "del", "10.99.0.1/24", "dev", "eth7")
      #expect(try await safe.value == "found")
      #expect(await other.value?.code == .networkConnectionLost)
      // So is an interface that is taken down.
      server.enqueue(.text("lost").with(.delayBeforeHeaders(gate)), .text("found"))
      let second = Task { try await session.text(from: url).0 }
      try await gate.reached(3)
      try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
      try network.ip("link", "set", "eth8", "down")
      #expect(try await second.value == "found")
    }
  }

  private func loseAddressOfAttempt(_ network: PrivateNetwork) async throws {
    try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
    // A host that never answers.
    try network.ip("neigh", "add", "10.99.0.77", "lladdr", "02:00:00:00:00:77", "dev", "eth7")
    try await serve { server, session async throws in
      let load = Task { await session.failure(of: server.url("/", host: "10.99.0.77")) }
      let file = try #require(URL(string: "ftp://10.99.0.77/a.txt"))
      let transfer = Task { await session.failure(of: file) }
      let stream = session.streamTask(withHostName: "10.99.0.77", port: 9)
      stream.resume()
      let reading = Task { await errorCode { _ = try await stream.readData(ofMinLength: 1, maxLength: 1, timeout: 0) } }
      #expect(await connects(3))
      try network.ip("addr", "del", "10.99.0.1/24", "dev", "eth7")
      #expect(await load.value?.code == .notConnectedToInternet)
      #expect(await transfer.value?.code == .notConnectedToInternet)
      #expect(await reading.value == URLError.notConnectedToInternet.rawValue)
    }
  }

  /// Whether so many connections are being opened (SYN_SENT), now or soon.
  private func connects(_ count: Int) async -> Bool {
    let end = HangLimit.end
    while ContinuousClock.now < end {
      let table = SystemFile.text("/proc/net/tcp") ?? ""
      if table.split(separator: "\n").count(where: { $0.split(separator: " ").dropFirst(3).first == "02" }) >= count { return true }
      await Task.yield()
    }
    return false
  }
}
