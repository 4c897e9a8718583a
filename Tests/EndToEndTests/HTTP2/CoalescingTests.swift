import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// One HTTP/2 connection for several origins (RFC 9113, 9.1.1).
@Suite(.timeLimit(.minutes(10))) struct CoalescingTests {
  /// Loads from the server under both of its names, one after the other.
  private func texts(_ session: URLSession, _ server: TestServer) async throws -> [String] {
    var texts: [String] = []
    for host in ["127.0.0.1", "localhost", "localhost"] { texts.append(try await session.text(from: server.url("/", host: host)).0) }
    return texts
  }

  @Test func originWithTheSameAddressAndCertificateSharesTheConnection() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/") { .text($0.headers["Host"] ?? "") }
      let hosts = try await texts(session, server)
      #expect(hosts == ["127.0.0.1:\(server.port)", "localhost:\(server.port)", "localhost:\(server.port)"])
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func originThatTheCertificateDoesNotNameHasItsOwnConnection() async throws {
    let authority = try TestCertificateAuthority()
    try await TestServer.with(.http2(try authority.issue(hosts: ["127.0.0.1"]))) { server async throws in
      let session = URLSession(configuration: .testing(trusting: authority))
      server.route("/", reply: .text("ok"))
      #expect(try await session.text(from: server.url()).0 == "ok")
      #expect(await session.failure(of: server.url("/", host: "localhost"))?.code == .serverCertificateUntrusted)
      #expect(server.requestCount == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func originThatTheServerDoesNotAnswerForGetsAConnectionOfItsOwn() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/") { request in
        let isForeign = request.headers["Host"]?.hasPrefix("localhost") == true && request.connection.ordinal == 1
        return isForeign ? Reply(421) : .text("\(request.connection.ordinal)")
      }
      #expect(try await texts(session, server) == ["1", "2", "2"])
      #expect(server.requests.map(\.connection.ordinal) == [1, 1, 2, 2])
      session.invalidateAndCancel()
    }
  }

  @Test func goodServerThatTheAppAcceptedServesItsOwnOriginAlone() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let judge = ChallengeDelegate.accepting
      let session = URLSession(configuration: configuration)
      server.route("/") { .text("\($0.connection.ordinal)") }
      let judged = try await session.data(for: URLRequest(url: server.url()), delegate: judge).0
      #expect(String(decoding: judged, as: UTF8.self) == "1")
      #expect(try await session.text(from: server.url("/", host: "localhost")).0 == "2")
      #expect(try await session.text(from: server.url()).0 == "1")
      session.invalidateAndCancel()
    }
  }

  @Test func loadWhoseAppIsAskedDoesNotShare() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/") { .text("\($0.connection.ordinal)") }
      #expect(try await session.text(from: server.url()).0 == "1")
      let judge = ChallengeDelegate.accepting
      let judged = try await session.data(for: URLRequest(url: server.url("/", host: "localhost")), delegate: judge).0
      #expect(String(decoding: judged, as: UTF8.self) == "2")
      #expect(judge.asked.count == 1)
      session.invalidateAndCancel()
    }
  }
}
