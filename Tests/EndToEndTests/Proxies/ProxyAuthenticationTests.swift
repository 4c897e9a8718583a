import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Proxies that require authentication (407).
@Suite(.timeLimit(.minutes(10))) struct ProxyAuthenticationTests {
  private func guarded(_ challenge: String = "Basic realm=\"p\"", _ accepts: @escaping @Sendable (String?) -> Bool) -> TestProxy.Options {
    var options = TestProxy.Options()
    options.challenge = challenge
    options.accepts = accepts
    return options
  }

  @Test(arguments: Wire.overTCP)
  func delegateIsAskedForTheProxyAndTheLoginHolds(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { .text($0.headers.contains(name: "Proxy-Authorization") ? "leaked" : "ok") }
      try await TestProxy.with(guarded { $0 == basic("u", "p") }) { proxy async throws in
        configuration.use(proxy.port)
        configuration.httpMaximumConnectionsPerHost = 1
        let port = proxy.port
        let delegate = ChallengeAnswerer { challenge in
          let space = challenge.protectionSpace
          #expect(space.isProxy() && space.host == "127.0.0.1" && space.port == port && space.realm == "p")
          #expect(space.proxyType == NSURLProtectionSpaceHTTPProxy && space.protocol == nil)
          #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 407)
          return (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
        }
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #expect(try await session.text(for: URLRequest("POST", server.url("/", host: "server.test"), body: Data("x".utf8))).0 == "ok")
        #expect(delegate.asked.count == 1)
        #expect(proxy.connections.map(\.wasLetIn) == [false, true])
        // Another host, another connection: no delegate is asked again, and nothing is sent in vain.
        #expect(try await session.text(from: server.url("/", host: "127.0.0.1")).0 == "ok")
        #expect(proxy.connections.map(\.wasLetIn) == [false, true, true])
        #expect(delegate.asked.count == 1)
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: Wire.overTCP)
  func loginOfTheSettingsIsUsedWithoutAsking(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { _ in .text("ok") }
      try await TestProxy.with(guarded { $0 == basic("u", "p") }) { proxy async throws in
        configuration.use(proxy.port, login: ("u", "p"))
        let delegate = ChallengeAnswerer { _ in (.cancelAuthenticationChallenge, nil) }
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #expect(try await session.text(from: server.url("/", host: "server.test")).0 == "ok")
        #expect(delegate.asked.isEmpty)
        #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
        session.invalidateAndCancel()
      }
    }
  }

  @Test func wrongLoginOfTheSettingsIsAskedAbout() async throws {
    try await serveBehindProxy(.tls) { server, configuration async throws in
      server.route("/*") { _ in .text("ok") }
      try await TestProxy.with(guarded { $0 == basic("u", "p") }) { proxy async throws in
        configuration.use(proxy.port, login: ("u", "wrong"))
        let delegate = ChallengeAnswerer("u", "p")
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #expect(try await session.text(from: server.url("/", host: "server.test")).0 == "ok")
        #expect(delegate.asked.map(\.failures) == [1])
        #expect(delegate.asked.map(\.proposedUser) == ["u"])
        session.invalidateAndCancel()
      }
    }
  }

  /// Further attempts with a password that was refused may lock its account.
  @Test(arguments: Wire.overTCP) func refusedLoginIsSentOnce(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { _ in .text("ok") }
      try await TestProxy.with(guarded { $0 == basic("u", "p") }) { proxy async throws in
        configuration.use(proxy.port, login: ("u", "wrong"))
        let session = URLSession(configuration: configuration, delegate: ChallengeAnswerer("u", "p"), delegateQueue: nil)
        #expect(try await session.text(from: server.url("/", host: "server.test")).0 == "ok")
        let sent = proxy.connections.map { $0.headers["Proxy-Authorization"] }
        #expect(sent == [nil, basic("u", "wrong"), basic("u", "p")])
        session.invalidateAndCancel()
      }
    }
  }

  @Test func storedCredentialOfTheProxyIsUsed() async throws {
    try await serveBehindProxy(.tls) { server, configuration async throws in
      server.route("/*") { _ in .text("ok") }
      try await TestProxy.with(guarded { $0 == basic("u", "p") }) { proxy async throws in
        configuration.use(proxy.port)
        let storage = URLCredentialStorage()
        let space = URLProtectionSpace(
          proxyHost: "127.0.0.1", port: proxy.port, type: NSURLProtectionSpaceHTTPProxy, realm: "p",
          authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        storage.setDefaultCredential(URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
        configuration.urlCredentialStorage = storage
        let session = URLSession(configuration: configuration)
        #expect(try await session.text(from: server.url("/", host: "server.test")).0 == "ok")
        session.invalidateAndCancel()
      }
    }
  }

  @Test func refusedTunnelIsAnErrorAndForwardedRequestA407() async throws {
    try await TestProxy.with(guarded { _ in false }) { proxy async throws in
      let configuration = URLSessionConfiguration.testing()
      configuration.use(proxy.port)
      let session = URLSession(configuration: configuration)
      let error = await session.failure(of: try #require(URL(string: "https://server.test/")))
      #expect(error?.code == .userAuthenticationRequired)
      #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 307)
      let (text, response) = try await session.text(from: try #require(URL(string: "http://server.test/")))
      #expect(response.statusCode == 407 && text == "no")
      session.invalidateAndCancel()
    }
  }

  @Test func cancelledChallengeEndsTheLoad() async throws {
    try await TestProxy.with(guarded { _ in false }) { proxy async throws in
      let configuration = URLSessionConfiguration.testing()
      configuration.use(proxy.port)
      let delegate = ChallengeAnswerer { _ in (.cancelAuthenticationChallenge, nil) }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      let url = try #require(URL(string: "https://server.test/"))
      #expect(await session.failure(of: url)?.code == .cancelled)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.overTCP)
  func digestVouchesForTheTunnelOrTheAbsoluteTarget(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { _ in .text("ok") }
      let host = "server.test:\(server.port)"
      let uri = wire != .plain ? host : "http://\(host)/a"
      let challenge = "Digest realm=\"p\", nonce=\"n\", qop=\"auth\", algorithm=MD5"
      let counts = Mutex<[String]>([])
      let options = guarded(challenge) { value in
        guard let value, value.hasPrefix("Digest "), value.contains("uri=\"\(uri)\""), value.contains("username=\"u\"") else {
          return false
        }
        let count = value.firstMatch(of: /nc=([0-9a-f]+)/).map { String($0.1) }
        counts.withLock { $0.append(count ?? "-") }
        return true
      }
      try await TestProxy.with(options) { proxy async throws in
        configuration.use(proxy.port, login: ("u", "p"))
        let session = URLSession(configuration: configuration)
        for _ in 0..<2 {
          #expect(try await session.text(from: server.url("/a", host: "server.test")).0 == "ok")
          // The next load makes a new connection.
          await session.flush()
        }
        #expect(counts.withLock { $0 } == ["00000001", "00000002"])
        #expect(proxy.connections.map(\.wasLetIn) == [false, true, true])
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [Wire.tls, .h2]) func proxyAndServerAreAuthenticatedEachByItsOwn(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.protect("/*", realm: "s") { $0 == basic("su", "sp") }
      try await TestProxy.with(guarded { $0 == basic("pu", "pp") }) { proxy async throws in
        configuration.use(proxy.port)
        let delegate = ChallengeAnswerer { challenge in
          let isProxy = challenge.protectionSpace.isProxy()
          return (.useCredential, URLCredential(user: isProxy ? "pu" : "su", password: isProxy ? "pp" : "sp", persistence: .forSession))
        }
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #expect(try await session.text(from: server.url("/x", host: "server.test")).0 == "secret of /x")
        #expect(delegate.asked.map(\.realm) == ["p", "s"])
        #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
        #expect(proxy.connections.allSatisfy { !$0.headers.contains(name: "Authorization") })
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [Wire.tls, .h2]) func failuresCountOverProxyAndServer(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.protect("/*", realm: "s") { $0 == basic("u", "p") }
      try await TestProxy.with(guarded { $0 == basic("u", "p") }) { proxy async throws in
        configuration.use(proxy.port)
        let asked = Mutex(0)
        let delegate = ChallengeAnswerer { challenge in
          // The first login at the proxy is wrong, and so is the first at the server.
          let count = asked.withLock { asked in
            asked += 1
            return asked
          }
          return (.useCredential, URLCredential(user: "u", password: count % 2 == 0 ? "p" : "wrong", persistence: .forSession))
        }
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #expect(try await session.text(from: server.url("/x", host: "server.test")).0 == "secret of /x")
        #expect(delegate.asked.map(\.realm) == ["p", "p", "s", "s"])
        #expect(delegate.asked.map(\.failures) == [0, 1, 1, 2])
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [Wire.tls, .h2]) func manyLoadsAtOnceAreAllLetIn(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/*") { .text($0.path) }
      try await TestProxy.with(guarded { $0 == basic("u", "p") }) { proxy async throws in
        configuration.use(proxy.port, login: ("u", "p"))
        let told = ToldMetrics()
        let session = URLSession(configuration: configuration, delegate: told, delegateQueue: nil)
        try await withThrowingTaskGroup(of: Void.self) { group async throws in
          for number in 0..<40 {
            group.addTask { () async throws in
              #expect(try await session.text(from: server.url("/\(number)", host: "server.test")).0 == "/\(number)")
            }
          }
          try await group.waitForAll()
        }
        session.finishTasksAndInvalidate()
        // Connections that were begun for another load, or before the proxy's refusal, are older than the transaction.
        let transactions = try await told.all(40)
        let disordered = transactions.filter { !$0.hasDatesInOrder }
        #expect(disordered.isEmpty, "\(disordered.map(\.namedDates))")
      }
    }
  }

  @Test func appsOwnProxyAuthorizationIsNotSent() async throws {
    try await serveBehindProxy(.tls) { server, configuration async throws in
      server.route("/*") { _ in .text("ok") }
      try await TestProxy.with { proxy async throws in
        configuration.use(proxy.port)
        let session = URLSession(configuration: configuration)
        var request = URLRequest(url: server.url("/", host: "server.test"))
        request.setValue("Basic eDp5", forHTTPHeaderField: "Proxy-Authorization")
        #expect(try await session.text(for: request).0 == "ok")
        #expect(proxy.connections.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
        #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
        session.invalidateAndCancel()
      }
    }
  }
}

/// The transactions of all tasks of a session.
private final class ToldMetrics: NSObject, URLSessionTaskDelegate, Sendable {
  private let metrics = Watched<[URLSessionTaskMetrics]>([])

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    self.metrics.update { $0.append(metrics) }
  }

  /// Those of so many tasks, when they have ended.
  func all(_ count: Int) async throws -> [URLSessionTaskTransactionMetrics] {
    try await metrics.wait { $0.count == count }
    return metrics.read { $0.flatMap(\.transactionMetrics) }
  }
}
