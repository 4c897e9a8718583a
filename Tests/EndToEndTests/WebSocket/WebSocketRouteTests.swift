import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The ways of a WebSocket's opening handshake: proxies, and what a host or the app demands of it.
@Suite(.timeLimit(.minutes(10))) struct WebSocketRouteTests {
  private func talk(_ session: URLSession, _ url: URL) async throws {
    let task = session.webSocketTask(with: url)
    task.resume()
    try await task.send(.string("x"))
    #expect(try await task.receive().text == "x")
    task.cancel(with: .normalClosure, reason: nil)
  }

  @Test(arguments: [Wire.plain, .tls])
  func proxiesAreGoneThroughByATunnel(_ wire: Wire) async throws {
    try await serveBehindProxy(wire) { server, configuration async throws in
      server.route("/socket", .GET, reply: .webSocket(WebSocketService(.echo)))
      try await TestProxy.with { proxy async throws in
        configuration.use(proxy.port)
        let session = URLSession(configuration: configuration)
        let url = server.url("/socket", host: "server.test").absoluteString
        try await talk(session, try #require(URL(string: "ws" + url.dropFirst(4))))
        // RFC 6455, 4.1: also without TLS.
        #expect(proxy.connections.map(\.kind) == [.connect])
        #expect(proxy.connections.first?.target == "server.test:\(server.port)")
        session.invalidateAndCancel()
      }
    }
  }

  @Test func SOCKSProxiesAreGoneThrough() async throws {
    try await serveBehindProxy(.plain) { server, configuration async throws in
      server.route("/socket", .GET, reply: .webSocket(WebSocketService(.echo)))
      try await TestProxy.with { proxy async throws in
        configuration.useSOCKS(proxy.port)
        let session = URLSession(configuration: configuration)
        try await talk(session, try #require(URL(string: "ws://server.test:\(server.port)/socket")))
        #expect(proxy.connections.count == 1)
        session.invalidateAndCancel()
      }
    }
  }

  @Test func aHostThatDemandsTLSGetsIt() async throws {
    try await Wire.tls.serve { server, configuration async throws in
      server.route("/", reply: Reply(headers: ["Strict-Transport-Security": "max-age=3600"], body: .text("")))
      server.route("/socket", .GET, reply: .webSocket(WebSocketService(.echo)))
      let session = URLSession(configuration: configuration)
      _ = try await session.data(from: server.url("/", host: "localhost"))
      try await talk(session, try #require(URL(string: "ws://localhost:\(server.port)/socket")))
      #expect(server.requests.last?.connection.tlsVersion != nil)
      session.invalidateAndCancel()
    }
  }

  @Test func anAppThatDemandsTLSGetsNoOther() async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.appTransportSecurity = URLSessionAppTransportSecurity()
    try await WebSocketBench.with(.echo, configuration: configuration) { bench async throws in
      let task = bench.session.webSocketTask(with: try #require(URL(string: "ws://example.test:\(bench.server.port)/socket")))
      task.resume()
      #expect(await errorCode { _ = try await task.receive() } == NSURLErrorAppTransportSecurityRequiresSecureConnection)
      #expect(bench.server.acceptedConnections == 0)
    }
  }
}
