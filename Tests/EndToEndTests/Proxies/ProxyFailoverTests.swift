import ChildProcesses
import Foundation
import ProtocolRules
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Which route loads take when the first one fails.
@Suite(.timeLimit(.minutes(10))) struct ProxyFailoverTests {
  private func proxy(_ port: Int) throws -> ProxyConfiguration {
    let number = try #require(NWEndpoint.Port(rawValue: UInt16(port)))
    var proxy = ProxyConfiguration(httpCONNECTProxy: .hostPort(host: "127.0.0.1", port: number))
    proxy.allowFailover = true
    return proxy
  }

  /// Loads over a connection of its own, and says how many routes it tried.
  private func ways(_ session: URLSession, _ url: URL) async -> (count: Int, error: URLError?) {
    var request = URLRequest(url: url)
    request.setValue("close", forHTTPHeaderField: "Connection")
    let recorder = DelegateRecorder()
    let task = session.dataTask(with: request)
    task.delegate = recorder
    task.resume()
    let error = await recorder.completion(of: task) as? URLError
    return (recorder.metrics?.transactionMetrics.count ?? 0, error)
  }

  @Test func proxyThatIsBackIsTriedWhereTheDirectWayLeadsNowhere() async throws {
    try await TestServer.with { server async throws in
      server.route("/*") { _ in .text("x") }
      let port = try ClosedPort.forProgram()
      let configuration = URLSessionConfiguration.testing()
      configuration.proxyConfigurations = [try proxy(port)]
      let session = URLSession(configuration: configuration)
      // Only the proxy can look this name up.
      let url = server.url("/", host: "server.invalid")
      let (count, error) = await ways(session, url)
      #expect(count == 2 && error?.code == .cannotFindHost)
      var options = TestProxy.Options()
      options.port = port
      options.names = ["server.invalid"]
      let proxy = try await TestProxy.start(options)
      #expect(try await session.text(from: url).0 == "x")
      await proxy.shutdown()
      session.invalidateAndCancel()
    }
  }

  /// Runs `body` with a proxy that takes what it is sent and says nothing, the URL of a server, and a session that uses both.
  private func serveBehindSilence(
    _ clock: ManualClock, timeout: TimeInterval = 60, _ body: (TestServer, URL, URLSession) async throws -> Void
  ) async throws {
    try await TestServer.with(.raw([.readRequestHead])) { silent async throws in
      try await TestServer.with { server async throws in
        server.route("/*") { _ in .text("x") }
        let configuration = URLSessionConfiguration.testing(clock: clock)
        configuration.proxyConfigurations = [try proxy(silent.port)]
        configuration.timeoutIntervalForRequest = timeout
        let session = URLSession(configuration: configuration)
        try await body(silent, server.url("/"), session)
        session.invalidateAndCancel()
      }
    }
  }

  @Test func proxyThatSaysNothingIsPassedOver() async throws {
    let clock = ManualClock()
    try await serveBehindSilence(clock) { silent, url, session async throws in
      let load = Task { try await session.text(from: url).0 }
      _ = try await silent.waitForBytes(10)
      await session.barrier()
      clock.advance(by: 31)
      #expect(try await load.value == "x")
    }
  }

  @Test func proxyThatOutlastsALoadsTimeIsPassedOverByTheNext() async throws {
    let clock = ManualClock()
    try await serveBehindSilence(clock, timeout: 10) { silent, url, session async throws in
      let load = Task { await session.failure(of: url) }
      _ = try await silent.waitForBytes(10)
      await session.barrier()
      clock.advance(by: 11)
      #expect(await load.value?.code == .timedOut)
      #expect(try await session.text(from: url).0 == "x")
    }
  }

  @Test func changeOfNetworksForgetsWhichProxiesWereUnreachable() async throws {
    let network = VirtualNetwork(.toTestServers(.wired))
    try await TestServer.with { server async throws in
      server.route("/*") { _ in .text("x") }
      let closed = try ClosedPort()
      defer { withExtendedLifetime(closed) {} }
      let configuration = URLSessionConfiguration.testing()
      configuration.use(network)
      configuration.proxyConfigurations = [try proxy(closed.number)]
      let session = URLSession(configuration: configuration)
      #expect(await ways(session, server.url("/")).count == 2)
      #expect(await ways(session, server.url("/")).count == 1)
      network.change(
        to: .toTestServers(.wired), NetworkConditions.Interface("vpn0", .other, addresses: ["192.0.2.1"], hasDefaultRoute: false))
      await session.barrier()
      #expect(await ways(session, server.url("/")).count == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [Wire.tls, .h2])
  func originThatAsksInTheProxysNameIsNotAnswered(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/ask") { _ in
        Reply(407, headers: ["Proxy-Authenticate": "Basic realm=\"mine\""], body: .text("who?"))
      }
      server.route("/ok") { .text($0.headers.contains(name: "Proxy-Authorization") ? "leaked" : "ok") }
      var options = TestProxy.Options()
      options.challenge = "Basic realm=\"p\""
      options.accepts = { $0 == basic("u", "p") }
      try await TestProxy.with(options) { proxy async throws in
        configuration.use(proxy.port)
        let delegate = ChallengeAnswerer { challenge in
          #expect(challenge.protectionSpace.realm == "p")
          return (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
        }
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        let (text, response) = try await session.text(from: server.url("/ask"))
        #expect(text == "who?" && response.statusCode == 407)
        // On a tunnel of its own: what is known of the proxy is kept.
        await session.barrier()
        #expect(try await session.text(from: server.url("/ok")).0 == "ok")
        #expect(delegate.asked.count == 1)
        #expect(proxy.connections.map(\.wasLetIn) == [false, true, true])
        session.invalidateAndCancel()
      }
    }
  }
}
