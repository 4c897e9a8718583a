import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Against Apache with mod_auth_gssapi and a Kerberos realm: `scripts/tests/test-negotiate` sets both up and runs these tests with them.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(
    if: ProcessInfo.processInfo.environment["NEGOTIATE_URL"] != nil,
    "no Kerberos realm for tests: run `scripts/tests/test-negotiate swift test --filter NegotiateTests`"))
struct NegotiateTests {
  private func url(_ adjust: (inout URLComponents) -> Void = { _ in }) throws -> URL {
    let text = try #require(ProcessInfo.processInfo.environment["NEGOTIATE_URL"])
    var components = try #require(URLComponents(string: text))
    adjust(&components)
    return try #require(components.url)
  }

  private func load(_ url: URL, _ delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (status: Int, user: String?) {
    let session = URLSession(configuration: .testing())
    defer { session.invalidateAndCancel() }
    let (_, response) = try await session.data(from: url, delegate: delegate)
    let http = try #require(response as? HTTPURLResponse)
    return (http.statusCode, http.value(forHTTPHeaderField: "X-User"))
  }

  @Test func ticketLogsInWithoutAnyQuestion() async throws {
    #expect(try await load(url()) == (200, "alice@WONDERLAND.TEST"))
  }

  @Test func laterRequestsLogInAsWell() async throws {
    let session = URLSession(configuration: .testing())
    for _ in 0..<5 {
      let (_, response) = try await session.data(from: url())
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }
    session.invalidateAndCancel()
  }

  @Test func passwordTakesTheTicketsPlace() async throws {
    let url = try url {
      $0.user = "alice"
      $0.password = "wonderland"
    }
    #expect(try await load(url) == (200, "alice@WONDERLAND.TEST"))
  }

  @Test func delegateIsAskedForAPrincipal() async throws {
    let delegate = ChallengeAnswerer("alice@WONDERLAND.TEST", "wonderland")
    #expect(try await load(url(), delegate).status == 200)
    #expect(delegate.asked.map(\.method) == [NSURLAuthenticationMethodNegotiate])
  }

  @Test func wrongPasswordEndsWithTheRefusal() async throws {
    let url = try url {
      $0.user = "alice"
      $0.password = "wrong"
    }
    #expect(try await load(url) == (401, nil))
  }

  @Test func serviceThatTheRealmDoesNotKnowEndsWithTheRefusal() async throws {
    #expect(try await load(url { $0.host = "127.0.0.1" }) == (401, nil))
  }

  /// Loads from a server that lets every client in, with this field.
  private func load(answeredWith headers: HeaderList) async throws -> Int {
    try await TestServer.with { server in
      server.route("/*") { request in
        guard request.headers["Authorization"] != nil else { return Reply(401, headers: ["WWW-Authenticate": "Negotiate"]) }
        return Reply(200, headers: headers)
      }
      return try await load(#require(URL(string: "http://localhost:\(server.port)/"))).status
    }
  }

  @Test func serverThatProvesItselfWronglyIsNotBelieved() async throws {
    let error = await #expect(throws: URLError.self) { try await load(answeredWith: ["WWW-Authenticate": "Negotiate AAAA"]) }
    #expect(error?.code == .badServerResponse)
  }

  @Test func serverThatSaysNothingOfItselfIsBelieved() async throws {
    #expect(try await load(answeredWith: [:]) == 200)
  }
}
