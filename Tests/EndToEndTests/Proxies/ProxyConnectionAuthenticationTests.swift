import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Proxies that authenticate connections (NTLM): all its messages are sent on one connection, which then lets its client in.
@Suite(.timeLimit(.minutes(10))) struct ProxyConnectionAuthenticationTests {
  private func withProxy(
    _ wire: Wire, _ adjust: (inout TestProxy.Options) -> Void = { _ in },
    _ body: (TestServer, TestProxy, URLSessionConfiguration) async throws -> Void
  ) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { .text("\($0.method) \($0.bodyLength)") }
      var options = ConnectionLogin().proxyOptions()
      adjust(&options)
      try await TestProxy.with(options) { proxy async throws in
        configuration.use(proxy.port)
        configuration.httpMaximumConnectionsPerHost = 1
        try await body(server, proxy, configuration)
      }
    }
  }

  @Test(arguments: Wire.overTCP)
  func allLegsShareTheConnectionThatThenCarriesTheLoads(_ wire: Wire) async throws {
    try await withProxy(wire) { server, proxy, configuration async throws in
      let delegate = ChallengeAnswerer { challenge in
        let space = challenge.protectionSpace
        #expect(space.isProxy() && space.proxyType == NSURLProtectionSpaceHTTPProxy && space.port == proxy.port && space.realm == nil)
        return (.useCredential, URLCredential(user: "DOMAIN\\ann", password: "p", persistence: .forSession))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for path in ["/a", "/b", "/c"] { #expect(try await session.text(from: server.url(path, host: "server.test")).0 == "GET 0") }
      #expect(delegate.asked.map(\.method) == [NSURLAuthenticationMethodNTLM])
      #expect(delegate.sessionLevelCount == 1)
      #expect(proxy.connections.map(\.wasLetIn) == [false, false, true])
      #expect(proxy.connections[1].connection == proxy.connections[2].connection)
      #expect(server.requests.count == 3 && server.acceptedConnections == 1)
      #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.overTCP)
  func anotherConnectionLogsInWithoutAQuestion(_ wire: Wire) async throws {
    try await withProxy(wire) { server, proxy, configuration async throws in
      let delegate = ChallengeAnswerer("ann", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/a", host: "server.test")).0 == "GET 0")
      #expect(try await session.text(from: server.url("/b", host: "127.0.0.1")).0 == "GET 0")
      #expect(delegate.asked.count == 1)
      let second = proxy.connections.filter { $0.target.contains("127.0.0.1") }
      #expect(second.map(\.wasLetIn).last == true)
      // A tunnel that is known to be asked for begins with the first message.
      if wire != .plain { #expect(second.count == 2 && Set(second.map(\.connection)).count == 1) }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.overTCP)
  func bodiesArriveWholeAfterTheLogin(_ wire: Wire) async throws {
    try await withProxy(wire) { server, proxy, configuration async throws in
      let session = URLSession(configuration: configuration, delegate: ChallengeAnswerer("ann", "p"), delegateQueue: nil)
      for _ in 0..<2 {
        let request = URLRequest("POST", server.url("/", host: "server.test"), body: Data(count: 100_000))
        #expect(try await session.text(for: request).0 == "POST 100000")
      }
      #expect(server.requests.count == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.overTCP)
  func loginOfTheSettingsIsUsedWithoutAsking(_ wire: Wire) async throws {
    try await withProxy(wire) { server, proxy, configuration async throws in
      configuration.use(proxy.port, login: ("ann", "p"))
      let delegate = ChallengeAnswerer { _ in (.cancelAuthenticationChallenge, nil) }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/", host: "server.test")).0 == "GET 0")
      #expect(delegate.asked.isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.overTCP)
  func refusedPasswordIsAskedForAgain(_ wire: Wire) async throws {
    try await withProxy(wire) { server, proxy, configuration async throws in
      let delegate = ChallengeAnswerer { challenge in
        let user = challenge.previousFailureCount == 0 ? "nobody" : "ann"
        return (.useCredential, URLCredential(user: user, password: "p", persistence: .forSession))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/", host: "server.test")).0 == "GET 0")
      #expect(delegate.asked.map(\.failures) == [0, 1])
      session.invalidateAndCancel()
    }
  }

  @Test func loginThatNobodyGivesEndsWithTheRefusal() async throws {
    try await withProxy(.plain) { server, proxy, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url("/", host: "server.test")).1.statusCode == 407)
      let error = await session.failure(of: try #require(URL(string: "https://server.test/")))
      #expect(error?.code == .userAuthenticationRequired)
      session.invalidateAndCancel()
    }
  }

  @Test func longRefusalsAreReadForTheSakeOfTheTunnel() async throws {
    try await withProxy(.tls, { $0.refusal = String(repeating: "a", count: 300_000) }) { server, proxy, configuration async throws in
      configuration.use(proxy.port, login: ("ann", "p"))
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url("/", host: "server.test")).0 == "GET 0")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [1 << 21, Int.max])
  func refusalsTooLongToBeReadEndTheTunnel(_ length: Int) async throws {
    let refusal = "HTTP/1.1 407 No\r\nProxy-Authenticate: NTLM\r\nContent-Length: \(length)\r\n\r\n"
    try await TestServer.with(.raw([.readRequestHead, .send(refusal), .sendRepeating(0x61, count: 1 << 21)])) { proxy async throws in
      let configuration = URLSessionConfiguration.testing()
      configuration.use(proxy.port, login: ("ann", "p"))
      let session = URLSession(configuration: configuration)
      let error = await session.failure(of: try #require(URL(string: "https://server.test/")))
      #expect(error?.code == .userAuthenticationRequired)
      session.invalidateAndCancel()
    }
  }

  @Test func manyLoadsAtOnceAreAllLetIn() async throws {
    for wire in Wire.overTCP {
      try await withProxy(wire) { server, proxy, configuration async throws in
        configuration.httpMaximumConnectionsPerHost = 4
        configuration.use(proxy.port, login: ("ann", "p"))
        let session = URLSession(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group async throws in
          for number in 0..<40 {
            group.addTask { () async throws in
              #expect(try await session.text(from: server.url("/\(number)", host: "server.test")).0 == "GET 0")
            }
          }
          try await group.waitForAll()
        }
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: Wire.http1)
  func serverBehindTheProxyAuthenticatesTheConnectionAsWell(_ wire: Wire) async throws {
    try await withProxy(wire) { server, proxy, configuration async throws in
      ConnectionLogin().attach(to: server)
      let delegate = ChallengeAnswerer { challenge in
        let user = challenge.protectionSpace.isProxy() ? "proxied" : "served"
        return (.useCredential, URLCredential(user: user, password: "p", persistence: .forSession))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for path in ["/a", "/b"] { #expect(try await session.text(from: server.url(path, host: "server.test")).0 == "served") }
      #expect(delegate.asked.count == 2)
      session.invalidateAndCancel()
    }
  }
}
