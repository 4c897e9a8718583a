import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

extension NetworkScenario {
  var wantsHTTP3: Bool { self == .downloadOutlivesItsAddress || self == .uploadOutlivesItsAddress }

  /// Runs `body` with a server of HTTP/3 at 10.97.0.1, which stays while this machine's own address is 10.99.0.1.
  private func serveAcross(_ network: PrivateNetwork, _ body: (TestServer, URLSession) async throws -> Void) async throws {
    try network.ip("addr", "add", "10.97.0.1/32", "dev", "lo")
    try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
    try leave(network, from: "10.99.0.1")
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.http3(try authority.issue(hosts: ["10.97.0.1"]))
    options.address = "10.97.0.1"
    options.recordedBodyLimit = 0
    try await TestServer.with(options) { server async throws in
      let configuration = URLSessionConfiguration.testing(trusting: authority)
      configuration.httpVersions = .http3Only
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  /// From now on connections to the server start at this address.
  private func leave(_ network: PrivateNetwork, from address: String) throws {
    try network.ip("route", "replace", "local", "10.97.0.1", "dev", "lo", "table", "local", "src", address)
  }

  private func changeAddress(_ network: PrivateNetwork) throws {
    try network.ip("addr", "add", "10.98.0.1/24", "dev", "eth7")
    try leave(network, from: "10.98.0.1")
    // What is still sent to the old address is lost on its way; without one, the system would refuse to send it, and the server end the
    // connection. The address comes before it as long as it is there.
    try network.ip("route", "add", "10.99.0.1/32", "dev", "eth7")
    try network.ip("addr", "del", "10.99.0.1/24", "dev", "eth7")
  }

  /// RFC 9000, 9.
  func outliveAddressInDownload(_ network: PrivateNetwork) async throws {
    try await serveAcross(network) { server, session async throws in
      let gate = Gate()
      let count = 20_000_000
      server.enqueue(Reply(body: .pattern(count: count)).with(.stallAfter(bodyBytes: count / 2, gate: gate)))
      let load = Task { try await session.data(from: server.url("/", host: "10.97.0.1")).0 }
      try await gate.reached()
      try changeAddress(network)
      gate.open()
      let data = try await load.value
      #expect(data.count == count && AlphabetPattern.match(data, at: 0))
      #expect(server.acceptedConnections == 1 && server.requestCount == 1)
    }
  }

  func outliveAddressInUpload(_ network: PrivateNetwork) async throws {
    try await serveAcross(network) { server, session async throws in
      let gate = Gate()
      server.enqueue(.text("first"), .text("taken").with(.slowReader(gate)))
      // The server may have a request before the client has its confirmation of the handshake, before which no connection may move.
      #expect(try await session.text(from: server.url("/", host: "10.97.0.1")).0 == "first")
      let body = Data(repeating: 7, count: 5_000_000)
      let load = Task { try await session.text(for: URLRequest("POST", server.url("/", host: "10.97.0.1"), body: body)).0 }
      try await gate.reached()
      try changeAddress(network)
      gate.open()
      #expect(try await load.value == "taken")
      #expect(server.requests.map(\.bodyLength) == [0, body.count])
      #expect(server.acceptedConnections == 1)
    }
  }
}
