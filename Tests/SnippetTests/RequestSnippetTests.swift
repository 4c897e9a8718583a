import Foundation
import Snippets
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct RequestSnippetTests {
  @Test func proxyIsAsked() async throws {
    try await TestServer.with { server async throws in
      server.route("/*") { _ in .text("x") }
      try await TestProxy.with { proxy async throws in
        #expect(try await load(server.url("/a", host: "server.test"), throughProxy: "127.0.0.1", port: proxy.port) == Data("x".utf8))
        #expect(proxy.connections.map(\.kind) == [.forward])
      }
    }
  }

  @Test func defaultHeadersGoWithEveryRequestUnlessItHasItsOwn() async throws {
    try await withServer { server async throws in
      let session = sessionWithDefaultHeaders(userAgent: "Snippets/1", token: "secret")
      let seen = try await seenHeaders(at: server.url("/headers"), session: session, overriding: ["accept": "text/plain"])
      #expect(seen.first { $0.key.lowercased() == "user-agent" }?.value == "Snippets/1")
      #expect(seen.first { $0.key.lowercased() == "authorization" }?.value == "Bearer secret")
      #expect(seen.first { $0.key.lowercased() == "accept" }?.value == "text/plain")
    }
  }

  @Test func privateLoadKeepsNoCookies() async throws {
    struct Answer: Decodable { var cookies: [String: String] }
    try await withServer { server async throws in
      let data = try await loadPrivately(server.url("/cookies/set?a=b"))
      #expect(try JSONDecoder().decode(Answer.self, from: data).cookies.isEmpty)
    }
  }

  @Test func credentialsInAHeaderAreAccepted() async throws {
    try await withServer { server async throws in
      #expect(try await load(server.url("/basic-auth/anna/pw"), user: "anna", password: "pw") != nil)
      #expect(try await load(server.url("/basic-auth/anna/pw"), user: "anna", password: "wrong") == nil)
    }
  }

  @Test func mockedHostNeedsNoServer() async throws {
    let session = MockedProtocol.session()
    let users = try await request(
      [String].self, URLRequest(url: #require(URL(string: "https://api.example.invalid/users"))), session: session)
    #expect(users == ["anna", "bo"])
    await #expect(throws: UnexpectedStatus(code: 404)) {
      try await request(Int.self, URLRequest(url: #require(URL(string: "https://api.example.invalid/none"))), session: session)
    }
  }

  @Test func responseHeadersAreReadInAnyCase() async throws {
    try await withServer { server async throws in
      server.route("/report.txt") { _ in Reply(headers: ["content-type": "text/plain; charset=utf-8"], body: .bytes(Data("x".utf8))) }
      let facts = try await bodyFacts(of: server.url("/report.txt"))
      #expect(facts.type == "text/plain; charset=utf-8")
      #expect(facts.sameInAnyCase)
      #expect(facts.encoding == "utf-8")
      #expect(facts.suggestedName == "report.txt")
      #expect(facts.statusText == "no error")
    }
  }

  @Test func unchangedResourceIsNotLoadedAgain() async throws {
    try await withServer { server async throws in
      let first = try await load(server.url("/etag/v1"), ifChangedSince: nil)
      #expect(first?.tag == "\"v1\"")
      #expect(try await load(server.url("/etag/v1"), ifChangedSince: first?.tag) == nil)
    }
  }
}
