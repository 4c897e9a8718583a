#if Inspector
  import NIOHTTP1
  import Testing

  @testable import URLLoadingInspector

  @Suite struct PageAccessTests {
    private let access = PageAccess(token: "0123456789abcdef", port: 4711)

    private func answer(_ method: HTTPMethod = .GET, _ uri: String, _ fields: [(String, String)]) -> PageAccess.Answer {
      access.answer(HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(fields)))
    }

    private func status(_ method: HTTPMethod = .GET, _ uri: String = "/0123456789abcdef/", of fields: [(String, String)]) -> Int? {
      if case .refused(let status, _) = answer(method, uri, fields) { status } else { nil }
    }

    @Test func thePageItselfIsServed() {
      #expect(answer(.GET, "/0123456789abcdef/", [("Host", "127.0.0.1:4711")]) == .granted(path: "", query: ""))
      #expect(answer(.GET, "/0123456789abcdef/api/events?a=1", [("Host", "localhost:4711")]) == .granted(path: "api/events", query: "a=1"))
      #expect(status(of: [("Host", "[::1]:4711"), ("Origin", "http://[::1]:4711")]) == nil)
      #expect(
        status(.POST, of: [("Host", "127.0.0.1:4711"), ("Origin", "http://127.0.0.1:4711"), ("Sec-Fetch-Site", "same-origin")]) == nil)
    }

    @Test func thePageIsServedAtHTTPsOwnPort() {
      let access = PageAccess(token: "0123456789abcdef", port: 80)
      func answer(_ fields: [(String, String)]) -> PageAccess.Answer {
        access.answer(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/0123456789abcdef/", headers: HTTPHeaders(fields)))
      }
      for host in ["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80"] {
        #expect(answer([("Host", host), ("Origin", "http://\(host)")]) == .granted(path: "", query: ""))
      }
      #expect(answer([("Host", "evil.example"), ("Origin", "http://127.0.0.1")]) != .granted(path: "", query: ""))
      #expect(answer([("Host", "127.0.0.1"), ("Origin", "http://evil.example")]) != .granted(path: "", query: ""))
    }

    @Test(arguments: [
      [("Host", "evil.example:4711")], [("Host", "127.0.0.1:4712")], [("Host", "127.0.0.1")], [("Host", "127.0.0.1.evil.example:4711")], [],
      [("Host", "127.0.0.1:4711"), ("Host", "evil.example")],
    ]) func otherHostsAreRefused(_ fields: [(String, String)]) {
      #expect(status(of: fields) == 421)
    }

    @Test(arguments: [
      "http://evil.example", "null", "https://127.0.0.1:4711", "http://127.0.0.1:4711.evil.example", "http://127.0.0.1:80", "",
      "http://evil.example:4711",
    ]) func otherOriginsAreRefused(_ origin: String) {
      #expect(status(of: [("Host", "127.0.0.1:4711"), ("Origin", origin)]) == 403)
    }

    @Test(arguments: ["cross-site", "same-site"]) func otherSitesAreRefused(_ site: String) {
      #expect(status(of: [("Host", "127.0.0.1:4711"), ("Sec-Fetch-Site", site)]) == 403)
    }

    @Test(arguments: [
      "/", "/0123456789abcde/", "/0123456789abcdeg/", "/0123456789abcdef", "/0123456789ABCDEF/", "//0123456789abcdef/", "/api/events",
      "/0123456789abcdef0/", "/%30123456789abcdef/", "/x/../0123456789abcdef/",
    ]) func withoutTheTokenThereIsNothing(_ uri: String) {
      #expect(status(.GET, uri, of: [("Host", "127.0.0.1:4711")]) == 404)
    }

    @Test func otherMethodsAreRefused() {
      for method in [HTTPMethod.PUT, .DELETE, .OPTIONS, .HEAD, .CONNECT] {
        #expect(status(method, of: [("Host", "127.0.0.1:4711")]) == 405)
      }
      #expect(status(.POST, of: [("Host", "127.0.0.1:4711")]) == 403)
      #expect(status(.GET, "http://127.0.0.1:4711/0123456789abcdef/", of: [("Host", "127.0.0.1:4711")]) == 400)
    }

    @Test func tokensAreLongAndDiffer() {
      let tokens = Set((0..<100).map { _ in PageAccess.makeToken() })
      #expect(tokens.count == 100)
      #expect(tokens.allSatisfy { $0.count == 48 && PageAccess.isToken($0) })
      #expect(!PageAccess.isToken("short"))
      #expect(!PageAccess.isToken("0123456789abcdef/"))
    }
  }
#endif
