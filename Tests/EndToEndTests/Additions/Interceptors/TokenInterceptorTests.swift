import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The login token, and its renewal by one load for all.
@Suite(.timeLimit(.minutes(10))) struct TokenInterceptorTests {
  private struct Denied: Error, Equatable {}

  private static let host = "127.0.0.1"

  /// Answers "in" to the new token, 401 to every other.
  private static func guarding(_ server: TestServer) {
    server.route("/") { $0.headers["Authorization"] == "Bearer new" ? .text("in") : .text("who?", status: 401) }
  }

  /// Tells when so many loads have been refused.
  private static func counting(_ count: Int, _ all: Signal) -> Around {
    let log = Around.Log()
    return Around { request, next in
      let response = try await next(request)
      if response.statusCode == 401, log.add("refused") == count { all.send() }
      return response
    }
  }

  private func token(_ token: String?, renew: @escaping @Sendable (String?) async throws -> String) -> URLSessionTokenInterceptor {
    URLSessionTokenInterceptor(hosts: ["LOCALHOST", "127.0.0.1"], token: token, allowsPlainHTTP: true, renew: renew)
  }

  @Test func namesOfHostsAreComparedInTheirASCIIForm() async throws {
    let token = URLSessionTokenInterceptor(hosts: ["Bücher.example"], token: "new") { _ in throw Denied() }
    let sent = Around.Log()
    let next = URLSessionInterceptorChain { request in
      sent.add(request.value(forHTTPHeaderField: "Authorization") ?? "none")
      return URLSessionInterceptedResponse(HTTPURLResponse())
    }
    for host in ["bücher.example", "xn--bcher-kva.example", "www.bücher.example"] {
      _ = try await token.intercept(URLRequest(url: try #require(URL(string: "https://\(host)/"))), next)
    }
    #expect(sent.all == ["Bearer new", "Bearer new", "none"])
  }

  @Test(arguments: Wire.allCases) func hundredLoadsWithAnOldTokenCauseOneRenewal(_ wire: Wire) async throws {
    let (renewals, refused) = (Around.Log(), Signal())
    let token = token("old") { expired in
      renewals.add(expired ?? "none")
      // All have been refused by then.
      await refused.wait()
      return "new"
    }
    try await wire.serve([token, Self.counting(100, refused)], [], { $0.httpMaximumConnectionsPerHost = 100 }) {
      server, session async throws in
      Self.guarding(server)
      let url = server.url()
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<100 { group.addTask { try await session.text(from: url).0 } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(texts == Array(repeating: "in", count: 100))
      #expect(renewals.all == ["old"] && server.requestCount == 200 && token.token == "new")
    }
  }

  @Test(arguments: Wire.allCases) func renewalThatFailsFailsThemAllWithItsCause(_ wire: Wire) async throws {
    let (renewals, refused) = (Around.Log(), Signal())
    let token = token("old") { _ in
      renewals.add("renewal")
      guard renewals.all.count == 1 else { return "new" }
      await refused.wait()
      throw Denied()
    }
    try await wire.serve([token, Self.counting(100, refused)], [], { $0.httpMaximumConnectionsPerHost = 100 }) {
      server, session async throws in
      Self.guarding(server)
      let url = server.url()
      let denied = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<100 {
          group.addTask {
            do { return try await session.data(from: url).0.isEmpty } catch { return error is Denied }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(denied == 100 && renewals.all.count == 1 && server.requestCount == 100)
      // The next load begins another one.
      #expect(try await session.text(from: url).0 == "in")
      #expect(renewals.all.count == 2)
    }
  }

  @Test(arguments: Wire.allCases) func cancelledLoadLeavesTheRenewalToTheOthers(_ wire: Wire) async throws {
    let (begun, go, renewals) = (Signal(), Signal(), Around.Log())
    let token = token(nil) { _ in
      renewals.add("renewal")
      begun.send()
      await go.wait()
      return "new"
    }
    try await wire.serve([token]) { server, session async throws in
      Self.guarding(server)
      let url = server.url()
      let first = Task { try await session.text(from: url).0 }
      await begun.wait()
      let second = Task { try await session.text(from: url).0 }
      first.cancel()
      await #expect(throws: URLError.self) { try await first.value }
      go.send()
      #expect(try await second.value == "in")
      #expect(renewals.all.count == 1 && server.requestCount == 1)
    }
  }

  @Test(arguments: Wire.allCases) func secondRefusalIsTheAnswer(_ wire: Wire) async throws {
    let token = token("old") { _ in "other" }
    try await wire.serve([token]) { server, session async throws in
      Self.guarding(server)
      let (text, response) = try await session.text(from: server.url())
      #expect(text == "who?" && response.statusCode == 401 && server.requestCount == 2)
    }
  }

  @Test(arguments: Wire.allCases) func bodyIsSentWithTheNewTokenToo(_ wire: Wire) async throws {
    let token = token("old") { _ in "new" }
    try await wire.serve([token]) { server, session async throws in
      Self.guarding(server)
      let (data, _) = try await session.upload(for: URLRequest("POST", server.url()), from: Data("order".utf8))
      #expect(data == Data("in".utf8))
      #expect(server.requests.map(\.text) == ["order", "order"])
    }
  }

  @Test func tokenGoesNowhereElse() async throws {
    let token = URLSessionTokenInterceptor(hosts: ["api.test"], token: "t", allowsPlainHTTP: true) { _ in "u" }
    let plain = URLSessionTokenInterceptor(hosts: [Self.host, "localhost"], token: "t") { _ in "u" }
    try await Wire.plain.serve([token, plain]) { server, session async throws in
      server.route("/", reply: Reply(401))
      #expect(try await session.text(from: server.url()).1.statusCode == 401)
      // Neither is for this host without TLS.
      #expect(server.requests.map { $0.headers["Authorization"] } == [nil])
    }
  }

  @Test(arguments: Wire.allCases) func redirectElsewhereTakesNoTokenAndItsRefusalRenewsNone(_ wire: Wire) async throws {
    let renewals = Around.Log()
    let token = token("old") { _ in
      renewals.add("renewal")
      return "new"
    }
    try await wire.serve { other, _ async throws in
      other.route("/", reply: Reply(401))
      try await wire.serve([token]) { server, session async throws in
        server.route("/", reply: .redirect(to: other.url().absoluteString))
        #expect(try await session.text(from: server.url()).1.statusCode == 401)
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil] && renewals.all.isEmpty)
      }
    }
  }

  @Test(arguments: Wire.allCases) func loginOfTheRequestIsLeftAlone(_ wire: Wire) async throws {
    let token = token("old") { _ in "new" }
    try await wire.serve([token], [.text("ok")]) { server, session async throws in
      var request = URLRequest(url: server.url())
      request.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
      _ = try await session.data(for: request)
      #expect(server.requests.map { $0.headers["Authorization"] } == ["Basic dTpw"])
    }
  }

  @Test(arguments: Wire.allCases) func requestsAreSignedEachTimeTheyAreSent(_ wire: Wire) async throws {
    let count = Mutex(0)
    let signing = URLSessionSigningInterceptor { request in
      let number = count.withLock { count in
        count += 1
        return count
      }
      await Task.yield()
      let body = request.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? ""
      request.setValue("\(number) \(request.httpMethod ?? "") \(body)", forHTTPHeaderField: "X-Signature")
    }
    let token = token("old") { _ in "new" }
    try await wire.serve([token, signing]) { server, session async throws in
      Self.guarding(server)
      _ = try await session.data(for: URLRequest("PUT", server.url(), body: Data("b".utf8)))
      #expect(server.requests.map { $0.headers["X-Signature"] } == ["1 PUT b", "2 PUT b"])
    }
  }
}
