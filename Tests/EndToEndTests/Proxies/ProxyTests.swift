import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

extension URLSessionConfiguration {
  /// Sends web addresses through a proxy that speaks HTTP.
  func use(_ port: Int, login: (user: String, password: String)? = nil) {
    var dictionary: [AnyHashable: Any] = [
      "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port, "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": port,
    ]
    if let login {
      dictionary[kCFProxyUsernameKey] = login.user
      dictionary[kCFProxyPasswordKey] = login.password
    }
    connectionProxyDictionary = dictionary
  }

  /// Sends everything through a SOCKS proxy.
  func useSOCKS(_ port: Int, version4: Bool = false, login: (user: String, password: String)? = nil) {
    var dictionary: [AnyHashable: Any] = [kCFNetworkProxiesSOCKSEnable: true, "SOCKSProxy": "127.0.0.1", "SOCKSPort": port]
    if version4 { dictionary[kCFStreamPropertySOCKSVersion] = kCFStreamSocketSOCKSVersion4 }
    dictionary[kCFStreamPropertySOCKSUser] = login?.user
    dictionary[kCFStreamPropertySOCKSPassword] = login?.password
    connectionProxyDictionary = dictionary
  }
}

/// A server that is known to the proxy alone, and a configuration that trusts it.
func serveBehindProxy(
  _ wire: Wire, _ body: (TestServer, URLSessionConfiguration) async throws -> Void
) async throws {
  guard wire != .plain else { return try await wire.serve({ _ in }, body) }
  let authority = try TestCertificateAuthority()
  let certificate = try authority.issue(hosts: ["server.test", "127.0.0.1", "localhost"])
  try await TestServer.with(wire == .h2 ? .http2(certificate) : .https(certificate)) { try await body($0, .testing(trusting: authority)) }
}

@Suite(.timeLimit(.minutes(10))) struct ProxyTests {
  @Test(arguments: Wire.overTCP)
  func loadsGoThroughTheProxyWhichLooksUpTheName(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { .text("hello from \($0.path)") }
      try await TestProxy.with { proxy async throws in
        configuration.use(proxy.port)
        let session = URLSession(configuration: configuration)
        let url = server.url("/a?b", host: "server.test")
        #expect(try await session.text(from: url).0 == "hello from /a")
        #expect(try await session.text(from: url).0 == "hello from /a")
        let visit = try #require(proxy.connections.first)
        #expect(proxy.connections.count == 1)
        #expect(visit.kind == (wire != .plain ? .connect : .forward))
        #expect(visit.target == (wire != .plain ? "server.test:\(server.port)" : url.absoluteString))
        #expect(visit.headers["Host"] == "server.test:\(server.port)")
        #expect(!visit.headers.contains(name: "Proxy-Connection"))
        #expect(server.acceptedConnections == 1)
        #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: Wire.overTCP, [false, true])
  func loadsGoThroughSOCKS(_ wire: Wire, _ version4: Bool) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { .text("hello from \($0.uri)") }
      var options = TestProxy.Options()
      options.socksLogin = ("user", version4 ? "" : "password")
      try await TestProxy.with(options) { proxy async throws in
        configuration.useSOCKS(proxy.port, version4: version4, login: options.socksLogin)
        let session = URLSession(configuration: configuration)
        #expect(try await session.text(from: server.url("/a", host: "server.test")).0 == "hello from /a")
        let visit = try #require(proxy.connections.first)
        #expect(visit.kind == (version4 ? .socks4 : .socks5) && visit.target == "server.test:\(server.port)" && visit.user == "user")
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: Wire.overTCP)
  func proxiesCanBeSpokenToOverTLS(_ wire: Wire) async throws {
    let authority = try TestCertificateAuthority()
    var options = TestProxy.Options()
    options.tls = .certificate(try authority.issue())
    let server = try await TestServer.start(
      wire == .plain
        ? .http : wire == .tls ? .https(authority.issue(hosts: ["server.test"])) : .http2(authority.issue(hosts: ["server.test"])))
    server.route("/*") { request in .text("\(request.method) \(request.bodyLength)") }
    try await TestProxy.with(options) { proxy async throws in
      let configuration = URLSessionConfiguration.testing(trusting: authority)
      let endpoint = NWEndpoint.hostPort(host: "127.0.0.1", port: try #require(.init(rawValue: UInt16(proxy.port))))
      configuration.proxyConfigurations = [ProxyConfiguration(httpCONNECTProxy: endpoint, tlsOptions: .init())]
      let session = URLSession(configuration: configuration)
      // A body from a file must pass through TLS even where the origin's connection has none of its own.
      let file = FileManager.default.temporaryDirectory.appending(path: "proxied-\(UUID().uuidString)")
      try Data(count: 300_000).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let request = URLRequest("PUT", server.url("/", host: "server.test"))
      let (data, _) = try await session.upload(for: request, fromFile: file)
      #expect(String(decoding: data, as: UTF8.self) == "PUT 300000")
      #expect(proxy.connections.map(\.kind) == [.connect])
      session.invalidateAndCancel()
    }
    await server.shutdown()
  }

  @Test func untrustedProxyIsRefused() async throws {
    var options = TestProxy.Options()
    options.tls = .certificate(try TestCertificateAuthority().issue())
    try await TestProxy.with(options) { proxy async throws in
      let configuration = URLSessionConfiguration.testing()
      let endpoint = NWEndpoint.hostPort(host: "127.0.0.1", port: try #require(.init(rawValue: UInt16(proxy.port))))
      configuration.proxyConfigurations = [ProxyConfiguration(httpCONNECTProxy: endpoint, tlsOptions: .init())]
      let session = URLSession(configuration: configuration)
      let error = await session.failure(of: try #require(URL(string: "http://server.test/")))
      #expect(error?.code == .serverCertificateHasUnknownRoot)
      #expect(proxy.connections.isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test func exceptionsAndEmptyDictionariesGoDirectly() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/*") { .text($0.uri) }
      try await TestProxy.with { proxy async throws in
        configuration.use(proxy.port)
        configuration.connectionProxyDictionary?["ExceptionsList"] = ["127.0.0.1"]
        for dictionary in [configuration.connectionProxyDictionary, [:]] {
          configuration.connectionProxyDictionary = dictionary
          let session = URLSession(configuration: configuration)
          #expect(try await session.text(from: server.url("/x")).0 == "/x")
          session.invalidateAndCancel()
        }
        #expect(proxy.connections.isEmpty)
      }
    }
  }

  @Test func brokenSettingsFailTheLoadAndSayWhy() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      configuration.connectionProxyDictionary = ["HTTPEnable": 1]
      let session = URLSession(configuration: configuration)
      let error = await session.failure(of: server.url("/"))
      #expect(error?.code == .cannotConnectToHost)
      #expect(error?.localizedDescription.contains("HTTPProxy") == true)
      #expect(server.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  @Test func relaysAreRefusedRatherThanPassedBy() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      let hop = ProxyConfiguration.RelayHop(http2RelayEndpoint: .hostPort(host: "relay.test", port: .https))
      configuration.proxyConfigurations = [ProxyConfiguration(relayHops: [hop])]
      let session = URLSession(configuration: configuration)
      let error = await session.failure(of: server.url("/"))
      #expect(error?.code == .cannotConnectToHost)
      #expect(error?.localizedDescription.contains("relays") == true)
      #expect(server.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.overTCP) func metricsSayThatThereWasAProxy(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/*") { _ in .text("x") }
      try await TestProxy.with { proxy async throws in
        configuration.use(proxy.port)
        let recorder = DelegateRecorder()
        let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
        let task = session.dataTask(with: server.url("/"))
        task.resume()
        #expect(await recorder.completion(of: task) == nil)
        let transaction = try #require(recorder.metrics?.transactionMetrics.last)
        #expect(transaction.isProxyConnection)
        #expect(transaction.remotePort == proxy.port)
        session.invalidateAndCancel()
      }
    }
  }

  @Test func failoverGoesOnToTheNextProxyAndThenDirectly() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/*") { _ in .text("x") }
      let closed = try ClosedPort()
      defer { withExtendedLifetime(closed) {} }
      func endpoint(_ port: Int) throws -> NWEndpoint { .hostPort(host: "127.0.0.1", port: try #require(.init(rawValue: UInt16(port)))) }
      try await TestProxy.with { proxy async throws in
        var first = ProxyConfiguration(httpCONNECTProxy: try endpoint(closed.number))
        let second = ProxyConfiguration(socksv5Proxy: try endpoint(proxy.port))
        for (allows, expected) in [(true, 1), (false, 1)] {
          first.allowFailover = allows
          configuration.proxyConfigurations = [first, second]
          let session = URLSession(configuration: configuration)
          if allows {
            #expect(try await session.text(for: URLRequest("POST", server.url("/"), body: Data("b".utf8))).0 == "x")
          } else {
            let error = await session.failure(of: server.url("/"))
            #expect(error?.code == .cannotConnectToHost)
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 306)
          }
          #expect(proxy.connections.count == expected)
          session.invalidateAndCancel()
        }
        first.allowFailover = true
        configuration.proxyConfigurations = [first]
        let session = URLSession(configuration: configuration)
        #expect(try await session.text(from: server.url("/")).0 == "x")
        session.invalidateAndCancel()
      }
    }
  }

  @Test func proxyThatCannotBeReachedIsPutOffForAWhile() async throws {
    let clock = ManualClock()
    try await Wire.plain.serve { server, _ async throws in
      server.route("/*") { _ in .text("x") }
      let closed = try ClosedPort()
      defer { withExtendedLifetime(closed) {} }
      func configuration(_ port: Int) throws -> ProxyConfiguration {
        var proxy = ProxyConfiguration(
          httpCONNECTProxy: .hostPort(host: "127.0.0.1", port: try #require(.init(rawValue: UInt16(port)))))
        proxy.allowFailover = true
        return proxy
      }
      try await TestProxy.with { proxy async throws in
        let settings = URLSessionConfiguration.testing(clock: clock)
        settings.proxyConfigurations = [try configuration(closed.number), try configuration(proxy.port)]
        let session = URLSession(configuration: settings)
        // Seconds from the one before to each load, and how many ways it tries.
        for (pause, ways) in [(0.0, 2), (1, 1), (200, 1), (100, 2), (1, 1)] {
          clock.advance(by: pause)
          var request = URLRequest(url: server.url("/", host: "server.test"))
          request.setValue("close", forHTTPHeaderField: "Connection")
          let recorder = DelegateRecorder()
          let task = session.dataTask(with: request)
          task.delegate = recorder
          task.resume()
          #expect(await recorder.completion(of: task) == nil)
          #expect(recorder.metrics?.transactionMetrics.count == ways, "after \(pause) seconds")
        }
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [Wire.tls, .h2]) func redirectsChooseTheirRouteAnew(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { secure, configuration async throws in
      secure.route("/*") { _ in .text("arrived") }
      try await Wire.plain.serve { plain, _ async throws in
        plain.route("/*") { _ in .redirect(to: secure.url("/b", host: "server.test").absoluteString) }
        try await TestProxy.with { proxy async throws in
          configuration.use(proxy.port)
          let session = URLSession(configuration: configuration)
          #expect(try await session.text(from: plain.url("/a")).0 == "arrived")
          #expect(proxy.connections.map(\.kind) == [.forward, .connect])
          session.invalidateAndCancel()
        }
      }
    }
  }

  @Test(arguments: Wire.overTCP)
  func manyLoadsShareTheirConnectionsThroughTheProxy(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { .text($0.path) }
      try await TestProxy.with { proxy async throws in
        configuration.use(proxy.port)
        let session = URLSession(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group async throws in
          for number in 0..<60 {
            group.addTask { () async throws in
              #expect(try await session.text(from: server.url("/\(number)", host: "server.test")).0 == "/\(number)")
            }
          }
          try await group.waitForAll()
        }
        #expect(server.acceptedConnections <= 6)
        #expect(proxy.connections.count <= 6)
        session.invalidateAndCancel()
      }
    }
  }

  @Test func ftpIsAskedForByHTTP() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/*") { .text($0.uri) }
      let url = try #require(URL(string: "ftp://server.test/a"))
      configuration.connectionProxyDictionary = ["FTPEnable": 1, "FTPProxy": "127.0.0.1", "FTPPort": server.port]
      let forwarding = URLSession(configuration: configuration)
      #expect(try await forwarding.text(from: url).0 == "ftp://server.test/a")
      forwarding.invalidateAndCancel()
    }
  }
}
