import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// WebSockets through proxies: always in a tunnel.
@Suite(.timeLimit(.minutes(10))) struct ProxyWebSocketTests {
  enum Way: CaseIterable {
    case connect, connectOverTLS, socks4, socks5

    /// Sends a configuration's loads this way.
    func use(_ configuration: URLSessionConfiguration, _ port: Int) throws {
      let endpoint = NWEndpoint.hostPort(host: "127.0.0.1", port: try #require(.init(rawValue: UInt16(port))))
      switch self {
      case .connect: configuration.use(port)
      case .connectOverTLS: configuration.proxyConfigurations = [ProxyConfiguration(httpCONNECTProxy: endpoint, tlsOptions: .init())]
      case .socks4: configuration.useSOCKS(port, version4: true)
      case .socks5: configuration.useSOCKS(port)
      }
    }

    var kind: TestProxy.Kind {
      switch self {
      case .connect, .connectOverTLS: .connect
      case .socks4: .socks4
      case .socks5: .socks5
      }
    }
  }

  /// Runs `body` with an echo behind a proxy.
  private func withEcho(
    secure: Bool, way: Way = .connect, _ options: TestProxy.Options = .init(),
    _ body: (TestServer, TestProxy, URLSessionConfiguration) async throws -> Void
  ) async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.issue(hosts: ["server.test", "127.0.0.1"])
    var options = options
    if case .connectOverTLS = way { options.tls = .certificate(certificate) }
    try await TestServer.with(secure ? .https(certificate) : .http) { server async throws in
      server.route("/socket", .GET, reply: .webSocket(WebSocketService(.echo)))
      try await TestProxy.with(options) { proxy async throws in
        let configuration = URLSessionConfiguration.testing(trusting: authority)
        try way.use(configuration, proxy.port)
        try await body(server, proxy, configuration)
      }
    }
  }

  private func echo(_ session: URLSession, _ server: TestServer) async throws {
    let socket = session.webSocketTask(with: server.webSocketURL("/socket", host: "server.test"))
    socket.resume()
    let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    for _ in 0..<3 {
      try await socket.send(.data(bytes))
      let isSame = try await socket.receive().data == bytes
      #expect(isSame)
    }
    socket.cancel(with: .normalClosure, reason: nil)
  }

  @Test(arguments: Way.allCases, [false, true])
  func messagesGoThroughEveryKindOfProxy(_ way: Way, _ secure: Bool) async throws {
    try await withEcho(secure: secure, way: way) { server, proxy, configuration async throws in
      let session = URLSession(configuration: configuration)
      try await echo(session, server)
      #expect(proxy.connections.map(\.kind) == [way.kind])
      #expect(proxy.connections.first?.target == "server.test:\(server.port)")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [false, true]) func proxyAsksForALogin(_ secure: Bool) async throws {
    var options = TestProxy.Options()
    options.challenge = "Basic realm=\"p\""
    options.accepts = { $0 == basic("u", "p") }
    try await withEcho(secure: secure, options) { server, proxy, configuration async throws in
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      try await echo(session, server)
      try await echo(session, server)
      #expect(delegate.asked.count == 1)
      #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [false, true]) func proxyAuthenticatesTheConnection(_ secure: Bool) async throws {
    try await withEcho(secure: secure, ConnectionLogin().proxyOptions()) { server, proxy, configuration async throws in
      let delegate = ChallengeAnswerer("ann", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      try await echo(session, server)
      try await echo(session, server)
      #expect(delegate.asked.map(\.method) == [NSURLAuthenticationMethodNTLM])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [false, true]) func refusedTunnelEndsTheTask(_ secure: Bool) async throws {
    var options = TestProxy.Options()
    options.connectAnswer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
    try await withEcho(secure: secure, options) { server, proxy, configuration async throws in
      let session = URLSession(configuration: configuration)
      let socket = session.webSocketTask(with: server.webSocketURL("/socket", host: "server.test"))
      socket.resume()
      let error = await #expect(throws: URLError.self) { try await socket.receive() }
      #expect(error?.code == .cannotConnectToHost)
      session.invalidateAndCancel()
    }
  }
}
