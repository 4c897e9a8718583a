import Foundation
import NIOCore
import NIOSSL
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct TLSTests {
  private func status(
    _ server: TestServer, trusting authority: TestCertificateAuthority, hostname: String? = "localhost", identity: TestCertificate? = nil
  ) async throws -> WireClient.Received {
    let security = WireClient.Security(trusted: authority.pem, hostname: hostname, identity: identity)
    let client = try await WireClient.connect(to: server, security: security)
    try? await client.get("/get", "Connection: close\r\n")
    return try await client.waitForEnd()
  }

  @Test func trustedServerIsReachedByNameAndAddress() async throws {
    let authority = try TestCertificateAuthority()
    try await TestServer.with(.https(authority.issue())) { server in
      server.add(.standard)
      #expect(try await status(server, trusting: authority).status == 200)
      #expect(try await status(server, trusting: authority, hostname: nil).status == 200)
      let connection = try await server.waitForRequest().connection
      #expect(connection.tlsVersion == .tls13)
      #expect(connection.negotiatedProtocol == "http/1.1")
      #expect(server.url("/x").absoluteString == "https://127.0.0.1:\(server.port)/x")
      #expect(server.url("/x?y", user: "us er", password: "p@ss").absoluteString == "https://us%20er:p%40ss@127.0.0.1:\(server.port)/x?y")
    }
  }

  @Test func maximumVersionIsKept() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.maximumTLSVersion = .tls12
    try await TestServer.with(options) { server async throws in
      server.add(.standard)
      #expect(try await status(server, trusting: authority).status == 200)
      #expect(server.requests[0].connection.tlsVersion == .tls12)
    }
  }

  @Test func minimumVersionRefusesOlderClients() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.minimumTLSVersion = .tls13
    try await TestServer.with(options) { server in
      let security = WireClient.Security(trusted: authority.pem, hostname: "localhost", maximumVersion: .tlsv12)
      let client = try await WireClient.connect(to: server, security: security)
      #expect(try await client.waitForEnd().error != nil)
      try await server.waitForConnections(open: 0)
      #expect(server.failedHandshakes == 1)
    }
  }

  enum Flaw: CaseIterable, Sendable {
    case expired, notYetValid, wrongHost, selfSigned, otherAuthority, missingIntermediate
  }

  @Test(arguments: Flaw.allCases)
  func flawedCertificateIsRefused(_ flaw: Flaw) async throws {
    let authority = try TestCertificateAuthority()
    let certificate =
      switch flaw {
      case .expired: try authority.issueExpired()
      case .notYetValid: try authority.issueNotYetValid()
      case .wrongHost: try authority.issueForWrongHost()
      case .selfSigned: try TestCertificate.selfSigned()
      case .otherAuthority: try TestCertificateAuthority().issue()
      case .missingIntermediate: try authority.makeIntermediate().issue().withoutIntermediates
      }
    try await TestServer.with(.https(certificate)) { server in
      server.add(.standard)
      let reply = try await status(server, trusting: authority)
      #expect(reply.error != nil)
      #expect(reply.bytes.isEmpty)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func intermediateAuthorityIsTrustedThroughItsRoot() async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.makeIntermediate().makeIntermediate(name: "Second").issue()
    try await TestServer.with(.https(certificate)) { server async throws in
      server.add(.standard)
      #expect(try await status(server, trusting: authority).status == 200)
    }
  }

  @Test func requiredClientCertificateDecides() async throws {
    let authority = try TestCertificateAuthority()
    let clients = try TestCertificateAuthority(name: "Clients")
    var options = TestServer.Options.https(try authority.issue())
    options.clientCertificates = .required(clients)
    try await TestServer.with(options) { server in
      server.add(.standard)
      let identity = try clients.issueClient()
      #expect(try await status(server, trusting: authority, identity: identity).status == 200)
      #expect(server.requests[0].connection.clientCertificate == identity.der)
      #expect(try await status(server, trusting: authority).status == nil)
      #expect(try await status(server, trusting: authority, identity: authority.issueClient()).status == nil)
      #expect(server.requests.count == 1)
    }
  }

  @Test func optionalClientCertificateMayBeMissing() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.clientCertificates = .optional(authority)
    try await TestServer.with(options) { server async throws in
      server.add(.standard)
      #expect(try await status(server, trusting: authority).status == 200)
      #expect(server.requests[0].connection.clientCertificate == nil)
    }
  }

  @Test func resetAndStallWorkOverTLS() async throws {
    let authority = try TestCertificateAuthority()
    try await TestServer.with(.https(authority.issue())) { server in
      server.enqueue(Reply(body: .pattern(count: 50), faults: [.disconnectAfterBodyBytes(20), .reset]))
      let reply = try await status(server, trusting: authority)
      #expect(reply.body.count == 20)
      #expect(reply.error != nil)
    }
  }

  @Test func clientThatLeavesBeforeItsReplyIsLetGo() async throws {
    let authority = try TestCertificateAuthority()
    try await TestServer.with(.https(authority.issue())) { server async throws in
      let gate = Gate()
      server.enqueue(.text("late").with(.delayBeforeHeaders(gate)))
      let security = WireClient.Security(trusted: authority.pem, hostname: "localhost", shutdownTimeout: .hours(1))
      let client = try await WireClient.connect(to: server, security: security)
      try await client.get("/")
      try await gate.reached()
      try await client.close()
      try await server.waitForConnections(open: 0)
    }
  }

  @Test func unusableCertificateIsAnErrorOfStart() async throws {
    #expect(throws: (any Error).self) { try TestCertificateAuthority().issue(hosts: ["ünï.example"]) }
  }
}
