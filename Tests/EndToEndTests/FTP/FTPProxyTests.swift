import ChildProcesses
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// FTP whose connections pass through SOCKS proxies.
@Suite(.timeLimit(.minutes(10))) struct FTPProxyTests {
  /// - Parameter control: Given the port for data.
  private func serve(
    version4: Bool = false, data: [[RawStep]], control: @escaping (Int) -> [[RawStep]],
    _ body: (FTPScript.Ground, URL, TestProxy) async throws -> Void
  ) async throws {
    try await TestProxy.with { proxy async throws in
      let configuration = URLSessionConfiguration.testing()
      configuration.useSOCKS(proxy.port, version4: version4)
      try await FTPScript.serve(data: data, control: control, configuration: configuration) { ground async throws in
        // Without a proxy no resolver has that name; and SOCKS 4 has the client look it up.
        let host = version4 ? "127.0.0.1" : "server.test"
        let url = try #require(URL(string: "ftp://\(host):\(ground.server.port)/"))
        try await body(ground, url, proxy)
      }
    }
  }

  @Test(arguments: [false, true]) func bothConnectionsPassThroughIt(_ version4: Bool) async throws {
    let control: (Int) -> [[RawStep]] = { [FTPScript.retrieving(5, $0)] }
    try await serve(version4: version4, data: [[.send("hello"), .close]], control: control) { ground, url, proxy async throws in
      #expect(try await ground.session.data(from: url.appending(path: "a.txt")).0 == Data("hello".utf8))
      #expect(proxy.connections.map(\.kind) == Array(repeating: version4 ? .socks4 : .socks5, count: 2))
    }
  }

  @Test func filesAreStoredThroughIt() async throws {
    let content = String(repeating: "0123456789", count: 100_000)
    let control: (Int) -> [[RawStep]] = { [FTPScript.storing($0, end: [.send("226 done\r\n")])] }
    try await serve(data: [[.readToEnd, .close]], control: control) { ground, url, _ async throws in
      _ = try await ground.session.data(for: URLRequest("PUT", url.appending(path: "b.txt"), body: Data(content.utf8)))
      let stored = try await ground.data.waitForBytes(content.utf8.count)
      let isWhole = stored == Data(content.utf8)
      #expect(isWhole)
    }
  }

  /// The address in a reply to PASV isn't believed here either: the proxy is asked for the server.
  @Test func passiveModeOfOldServers() async throws {
    let control: (Int) -> [[RawStep]] = { port in
      [
        FTPScript.finding(5) + FTPScript.answer("EPSV", "500 what")
          + FTPScript.answer("PASV", "227 Entering Passive Mode (192,0,2,1,\(port >> 8),\(port & 0xFF))")
          + FTPScript.answer("RETR a.txt", "150 here\r\n226 done")
      ]
    }
    try await serve(data: [[.send("hello"), .close]], control: control) { ground, url, _ async throws in
      #expect(try await ground.session.data(from: url.appending(path: "a.txt")).0 == Data("hello".utf8))
    }
  }

  @Test func serverThatWantsToConnectCannot() async throws {
    let control: (Int) -> [[RawStep]] = { _ in
      [FTPScript.finding(5) + FTPScript.answer("EPSV", "500 what") + FTPScript.answer("PASV", "500 what")]
    }
    try await serve(data: [], control: control) { ground, url, _ async throws in
      let error = await ground.session.failure(of: url.appending(path: "a.txt"))
      #expect(error?.code == .unsupportedURL)
      #expect(error?.localizedDescription.contains("exclude it from the proxy") == true)
    }
  }

  /// By CONNECT, in the clear or over TLS to the proxy, which isn't the server's.
  @Test(arguments: [false, true], InstalledFTPServer.Security.allCases)
  func tunnelsOfHTTPProxies(_ isWrapped: Bool, _ security: InstalledFTPServer.Security) async throws {
    guard InstalledFTPServer.programs.contains(.pyftpdlib) else { return }
    let authority = try TestCertificateAuthority()
    var options = TestProxy.Options()
    if isWrapped { options.tls = .certificate(try authority.issue()) }
    try await TestProxy.with(options) { proxy async throws in
      try await InstalledFTPServer.with(.pyftpdlib, security, certificate: authority.issue()) { server async throws in
        let configuration = URLSessionConfiguration.testing(trusting: authority)
        let endpoint = NWEndpoint.hostPort(host: "127.0.0.1", port: try #require(.init(rawValue: UInt16(proxy.port))))
        configuration.proxyConfigurations = [ProxyConfiguration(httpCONNECTProxy: endpoint, tlsOptions: isWrapped ? .init() : nil)]
        let session = URLSession(configuration: configuration)
        #expect(try await session.data(from: server.url("/dir/a.txt")).0 == Data("content a".utf8))
        _ = try await session.upload(for: URLRequest("PUT", server.url("/dir/c.txt")), from: Data("stored".utf8))
        #expect(try String(contentsOf: server.file("dir/c.txt"), encoding: .utf8) == "stored")
        #expect(proxy.connections.count >= 4)
        #expect(proxy.connections.allSatisfy { $0.kind == .connect })
        session.invalidateAndCancel()
      }
    }
  }

  /// Digest signs the target of each CONNECT, and counts them.
  @Test func tunnelsForDataAreSignedAsWell() async throws {
    let counts = Mutex<Set<String>>([])
    var options = TestProxy.Options()
    options.challenge = "Digest realm=\"p\", nonce=\"n\", qop=\"auth\", algorithm=MD5"
    options.accepts = { value in
      guard let count = value?.firstMatch(of: /nc=([0-9a-f]+)/).map({ String($0.1) }) else { return false }
      return counts.withLock { $0.insert(count).inserted }
    }
    try await TestProxy.with(options) { proxy async throws in
      let endpoint = NWEndpoint.hostPort(host: "127.0.0.1", port: try #require(.init(rawValue: UInt16(proxy.port))))
      var tunnelling = ProxyConfiguration(httpCONNECTProxy: endpoint)
      tunnelling.applyCredential(username: "u", password: "p")
      let configuration = URLSessionConfiguration.testing()
      configuration.proxyConfigurations = [tunnelling]
      let control: (Int) -> [[RawStep]] = { Array(repeating: FTPScript.retrieving(5, $0), count: 2) }
      let data: [[RawStep]] = Array(repeating: [.send("hello"), .close], count: 2)
      try await FTPScript.serve(data: data, control: control, configuration: configuration) { ground async throws in
        let url = try #require(URL(string: "ftp://server.test:\(ground.server.port)/a.txt"))
        for _ in 0..<2 { #expect(try await ground.session.data(from: url).0 == Data("hello".utf8)) }
        #expect(proxy.connections.map(\.wasLetIn) == [false, true, true, true, true])
        for tunnel in proxy.connections.dropFirst() {
          #expect(tunnel.headers["Proxy-Authorization"]?.contains("uri=\"\(tunnel.target)\"") == true)
        }
      }
    }
  }

  @Test func proxyThatIsNotThereIsNamed() async throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    let port = closed.number
    let configuration = URLSessionConfiguration.testing()
    configuration.useSOCKS(port)
    let session = URLSession(configuration: configuration)
    let error = try await session.failure(of: #require(URL(string: "ftp://server.test/a.txt")))
    #expect(error?.code == .cannotConnectToHost)
    #expect(error?.localizedDescription.contains("127.0.0.1:\(port)") == true)
    session.invalidateAndCancel()
  }
}
