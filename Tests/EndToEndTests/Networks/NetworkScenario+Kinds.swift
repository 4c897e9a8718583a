import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

extension NetworkScenario {
  func refuseCellular(_ network: PrivateNetwork) async throws {
    try network.addCable("wwan7", "tower7")
    try network.ip("addr", "add", "10.99.0.1/24", "dev", "wwan7")
    try network.ip("route", "add", "default", "via", "10.99.0.254", "dev", "wwan7")
    try await serve { server, session async throws in
      server.route("/", reply: .text("ok"))
      var request = URLRequest(url: server.url("/", host: "10.99.0.1"))
      request.allowsCellularAccess = false
      #expect(await session.failure(of: request)?.networkUnavailableReason == .cellular)
      #expect(server.acceptedConnections == 0)
      let metrics = try await session.transaction(of: server.url("/", host: "10.99.0.1"))
      #expect(metrics.isCellular && metrics.isExpensive && !metrics.isConstrained && !metrics.isMultipath)
      // Another default route has come up, over a cable.
      try network.ip("addr", "add", "10.98.0.1/24", "dev", "eth7")
      try network.ip("route", "add", "default", "via", "10.98.0.254", "dev", "eth7", "metric", "500")
      #expect(await session.failure(of: request)?.networkUnavailableReason == .cellular)
      request.url = server.url("/", host: "10.98.0.1")
      #expect(try await session.text(for: request).0 == "ok")
      let cable = try await session.transaction(of: server.url("/", host: "10.98.0.1"))
      #expect(!cable.isCellular && !cable.isExpensive)
    }
  }

  func refuseMetered(_ network: PrivateNetwork) async throws {
    try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
    try network.ip("route", "add", "default", "via", "10.99.0.254", "dev", "eth7")
    let bus = try #require(MeteredBus.here)
    try await bus.start(interface: "eth7")
    try await serve { server, session async throws in
      server.route("/", reply: .text("ok"))
      let url = server.url("/", host: "10.99.0.1")
      var cheap = URLRequest(url: url)
      cheap.allowsExpensiveNetworkAccess = false
      var free = URLRequest(url: url)
      free.allowsConstrainedNetworkAccess = false
      // Not metered: NM_METERED_NO.
      try bus.say(2)
      #expect(try await session.text(for: cheap).0 == "ok")
      // Supposedly: NM_METERED_GUESS_YES.
      try bus.say(3)
      #expect(await session.failure(of: cheap)?.networkUnavailableReason == .expensive)
      #expect(try await session.text(for: free).0 == "ok")
      // The user says so: NM_METERED_YES.
      try bus.say(1)
      #expect(await session.failure(of: cheap)?.networkUnavailableReason == .expensive)
      #expect(await session.failure(of: free)?.networkUnavailableReason == .constrained)
      let metrics = try await session.transaction(of: url)
      #expect(!metrics.isCellular && metrics.isExpensive && metrics.isConstrained)
    }
    bus.stop()
  }
}

extension URLSession {
  /// The metrics of the last transaction of a load.
  fileprivate func transaction(of url: URL) async throws -> URLSessionTaskTransactionMetrics {
    let recorder = DelegateRecorder()
    _ = try await data(from: url, delegate: recorder)
    await barrier()
    return try #require(recorder.metrics?.transactionMetrics.last)
  }
}
