import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Against squid with a helper for Kerberos, and a realm: `scripts/tests/test-negotiate` sets both up and runs these tests with them.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(
    if: ProcessInfo.processInfo.environment["NEGOTIATE_PROXY_PORT"] != nil,
    "no squid in a Kerberos realm: run `scripts/tests/test-negotiate swift test --filter NegotiateTests` where squid is installed"))
struct ProxyNegotiateTests {
  private func use(_ configuration: URLSessionConfiguration, login: (user: String, password: String)? = nil) throws {
    let port = try #require(ProcessInfo.processInfo.environment["NEGOTIATE_PROXY_PORT"].flatMap(Int.init))
    configuration.use(port, login: login)
    // Kerberos knows the proxy by its name.
    configuration.connectionProxyDictionary?["HTTPProxy"] = "localhost"
    configuration.connectionProxyDictionary?["HTTPSProxy"] = "localhost"
  }

  @Test(arguments: Wire.overTCP)
  func ticketOpensTheProxyWithoutAnyQuestion(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/*") { .text("\($0.method) \($0.bodyLength)") }
      try use(configuration)
      let session = URLSession(configuration: configuration)
      for _ in 0..<3 {
        let request = URLRequest("PUT", server.url("/"), body: Data(count: 100_000))
        #expect(try await session.text(for: request).0 == "PUT 100000")
      }
      #expect(server.requests.count == 3)
      #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.overTCP)
  func delegateIsAskedForAPrincipal(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/*") { _ in .text("ok") }
      try use(configuration)
      let delegate = ChallengeAnswerer { challenge in
        #expect(challenge.protectionSpace.isProxy())
        return (.useCredential, URLCredential(user: "alice@WONDERLAND.TEST", password: "wonderland", persistence: .forSession))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).0 == "ok")
      #expect(delegate.asked.map(\.method) == [NSURLAuthenticationMethodNegotiate])
      session.invalidateAndCancel()
    }
  }

  @Test func wrongPasswordIsRefused() async throws {
    try await Wire.tls.serve { server, configuration async throws in
      try use(configuration, login: ("alice", "wrong"))
      let delegate = ChallengeAnswerer { _ in (.rejectProtectionSpace, nil) }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(await session.failure(of: server.url("/"))?.code == .userAuthenticationRequired)
      #expect(server.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  @Test func manyLoadsAtOnceAreAllLetIn() async throws {
    for wire in Wire.overTCP {
      try await wire.serve { server, configuration async throws in
        server.route("/*") { .text($0.path) }
        try use(configuration)
        let session = URLSession(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group async throws in
          for number in 0..<30 {
            group.addTask { () async throws in
              #expect(try await session.text(from: server.url("/\(number)")).0 == "/\(number)")
            }
          }
          try await group.waitForAll()
        }
        session.invalidateAndCancel()
      }
    }
  }
}
