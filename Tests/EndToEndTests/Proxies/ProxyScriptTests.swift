import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Scripts that choose the proxy (PAC).
@Suite(.timeLimit(.minutes(10))) struct ProxyScriptTests {
  private static let hasEngine = ProxyScriptEngine.isAvailable
  private static let reason: Comment = "no engine: build with the package trait PAC, or run `scripts/tests/test-pac`"

  private func configuration(_ script: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.testing()
    configuration.connectionProxyDictionary = [
      kCFNetworkProxiesProxyAutoConfigEnable: 1, kCFNetworkProxiesProxyAutoConfigJavaScript: script,
    ]
    return configuration
  }

  @Test(.enabled(if: !hasEngine, "there is an engine"))
  func withoutTheTraitALoadFailsAndSaysSo() async throws {
    try await TestServer.with { server async throws in
      let session = URLSession(configuration: configuration("function FindProxyForURL() { return 'DIRECT' }"))
      let error = await session.failure(of: server.url())
      #expect(error?.code == .cannotConnectToHost)
      #expect(error?.localizedDescription.contains("trait PAC") == true)
      #expect(server.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: hasEngine, reason)) func scriptChoosesByHost() async throws {
    try await TestServer.with { server async throws in
      server.route("/*") { _ in .text("x") }
      try await TestProxy.with { proxy async throws in
        let script = """
          function FindProxyForURL(url, host) {
            if (url.indexOf("secret") >= 0) return "PROXY 127.0.0.1:1";
            return dnsDomainIs(host, ".test") ? "PROXY 127.0.0.1:1; SOCKS 127.0.0.1:\(proxy.port)" : "DIRECT";
          }
          """
        let session = URLSession(configuration: configuration(script))
        #expect(try await session.text(from: server.url("/a")).0 == "x")
        #expect(proxy.connections.isEmpty)
        // The script sees no path; its first proxy isn't there, its second is.
        #expect(try await session.text(from: server.url("/secret", host: "server.test")).0 == "x")
        #expect(proxy.connections.map(\.kind) == [.socks5])
        session.invalidateAndCancel()
      }
    }
  }

  @Test(.enabled(if: hasEngine, reason)) func scriptIsFetchedOnceAndDirectly() async throws {
    try await TestServer.with { server async throws in
      server.route("/*") { _ in .text("x") }
      try await TestProxy.with { proxy async throws in
        let port = proxy.port
        server.route("/proxy.pac") { _ in .text("function FindProxyForURL() { return 'PROXY 127.0.0.1:\(port)' }") }
        let configuration = URLSessionConfiguration.testing()
        configuration.connectionProxyDictionary = [
          "ProxyAutoConfigEnable": 1, "ProxyAutoConfigURLString": server.url("/proxy.pac").absoluteString,
        ]
        let session = URLSession(configuration: configuration)
        async let first = session.text(from: server.url("/1"))
        async let second = session.text(from: server.url("/2"))
        _ = try await (first, second)
        #expect(server.requests.filter { $0.path == "/proxy.pac" }.count == 1)
        #expect(proxy.connections.allSatisfy { $0.kind == .forward && !$0.target.contains("pac") } && !proxy.connections.isEmpty)
        session.invalidateAndCancel()
      }
    }
  }

  @Test(
    .enabled(if: hasEngine, reason),
    arguments: [
      "function FindProxyForURL() { throw new Error('no') }", "syntax error", "var nothing",
      "function FindProxyForURL() { var a = []; while (true) a.push(new ArrayBuffer(1 << 20)) }",
      "function FindProxyForURL() { return 'NONSENSE' }",
    ])
  func badScriptFailsTheLoadRatherThanGoDirectly(_ script: String) async throws {
    try await TestServer.with { server async throws in
      let session = URLSession(configuration: configuration(script))
      let error = await session.failure(of: server.url())
      #expect(error?.code == .cannotConnectToHost)
      #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 308)
      #expect(server.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: hasEngine, reason)) func missingScriptFailsTheLoad() async throws {
    try await TestServer.with { server async throws in
      let configuration = URLSessionConfiguration.testing()
      server.route("/none.pac") { _ in .text("gone", status: 404) }
      configuration.connectionProxyDictionary = [
        "ProxyAutoConfigEnable": 1, "ProxyAutoConfigURLString": server.url("/none.pac").absoluteString,
      ]
      let session = URLSession(configuration: configuration)
      let error = await session.failure(of: server.url("/"))
      #expect(error?.localizedDescription.contains("404") == true)
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: hasEngine, reason)) func endlessScriptIsEndedAndCancellationDoesNotWaitForIt() async throws {
    let session = URLSession(configuration: configuration("function FindProxyForURL() { while (true) {} }"))
    let url = try #require(URL(string: "http://server.test/"))
    let task = session.dataTask(with: url) { _, _, _ in }
    let log = CompletionLog()
    let cancelled = session.dataTask(with: url, completionHandler: log.handler)
    task.resume()
    cancelled.resume()
    cancelled.cancel()
    #expect(await log.call().code == URLError.cancelled.rawValue)
    session.invalidateAndCancel()
  }
}
