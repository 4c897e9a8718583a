import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct StandardRoutesTests {
  private func withServer(_ body: (TestServer) async throws -> Void) async throws {
    var options = TestServer.Options()
    options.routes = .standard
    try await TestServer.with(options, body)
  }

  private func json(_ reply: WireClient.Received) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: reply.body) as? [String: Any])
  }

  @Test func echoShowsTheRequest() async throws {
    try await withServer { server in
      let echo = try json(try await exchange(server, "/get?a=1&b=%C3%BC", "X-Test: yes\r\n"))
      #expect(echo["args"] as? [String: String] == ["a": "1", "b": "ü"])
      #expect((echo["headers"] as? [String: String])?["X-Test"] == "yes")
      #expect(echo["url"] as? String == "http://test/get?a=1&b=%C3%BC")
    }
  }

  @Test(arguments: [
    ("/status/418", 418), ("/status/99", 400), ("/bytes/x", 400), ("/bytes/-1", 400), ("/redirect/3", 302), ("/gzip", 200),
    ("/redirect-to?url=/x&status=308", 308), ("/redirect-to", 400), ("/basic-auth/a/b", 401), ("/cookies", 200), ("/headers", 200),
    ("/cookies/set?a=b", 302), ("/etag/x", 200), ("/cache/60", 200), ("/delay/0", 200), ("/stream/3", 200), ("/drip", 200),
  ])
  func statusIsAsDocumented(_ path: String, _ status: Int) async throws {
    try await withServer { server async throws in
      #expect(try await exchange(server, path).status == status)
    }
  }

  @Test func redirectionsCountDown() async throws {
    try await withServer { server async throws in
      #expect(try await exchange(server, "/redirect/2").text.contains("Location: http://test/redirect/1\r\n"))
      #expect(try await exchange(server, "/relative-redirect/1").text.contains("Location: /get\r\n"))
    }
  }

  @Test func rangesAreServed() async throws {
    try await withServer { server in
      let part = try await exchange(server, "/range/26", "Range: bytes=2-4\r\n")
      #expect(part.status == 206)
      #expect(part.text.contains("Content-Range: bytes 2-4/26\r\n"))
      #expect(part.body == Data("cde".utf8))
      #expect(try await exchange(server, "/range/26", "Range: bytes=-2\r\n").body == Data("yz".utf8))
      #expect(try await exchange(server, "/range/26", "Range: bytes=24-\r\n").body == Data("yz".utf8))
      #expect(try await exchange(server, "/range/26", "Range: bytes=24-9223372036854775807\r\n").body == Data("yz".utf8))
      #expect(try await exchange(server, "/range/26", "Range: bytes=26-\r\n").status == 416)
      #expect(try await exchange(server, "/range/26", "Range: bytes=0-1\r\nIf-Range: \"old\"\r\n").status == 200)
    }
  }

  @Test func conditionsAreHonoured() async throws {
    try await withServer { server async throws in
      #expect(try await exchange(server, "/etag/x", "If-None-Match: \"y\", W/\"x\"\r\n").status == 304)
      #expect(try await exchange(server, "/etag/x", "If-None-Match: \"y\"\r\n").status == 200)
      #expect(try await exchange(server, "/etag/x", "If-Match: \"y\"\r\n").status == 412)
      #expect(try await exchange(server, "/cache", "If-Modified-Since: x\r\n").status == 304)
      #expect(try await exchange(server, "/cache/9").text.contains("Cache-Control: public, max-age=9\r\n"))
    }
  }

  @Test func namedGateHoldsDelayedReplies() async throws {
    try await withServer { server in
      let client = try await WireClient.connect(to: server)
      try await client.get("/delay/mine")
      try await server.gate("mine").reached()
      #expect(client.now.bytes.isEmpty)
      server.gate("mine").open()
      #expect(try await client.wait(for: "\r\n\r\n").status == 200)
      try await client.close()
    }
  }

  @Test func credentialsOpenBasicAuth() async throws {
    try await withServer { server async throws in
      let credentials = Data("user:pass word".utf8).base64EncodedString()
      #expect(try await exchange(server, "/basic-auth/user/pass%20word", "Authorization: Basic \(credentials)\r\n").status == 200)
    }
  }

  @Test func cookiesAreEchoed() async throws {
    try await withServer { server async throws in
      #expect(try await exchange(server, "/cookies/set?a=1&b=2").text.contains("Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2; Path=/\r\n"))
      #expect(
        try json(try await exchange(server, "/cookies", "Cookie: a=1; b=2\r\n"))["cookies"] as? [String: String] == ["a": "1", "b": "2"])
    }
  }

  @Test func bigBodyArrivesWhole() async throws {
    try await withServer { server in
      let client = try await WireClient.connect(to: server)
      try await client.get("/bytes/26000000", "Connection: close\r\n")
      let body = try await client.waitForEnd().body
      #expect(body.count == 26_000_000)
      #expect(String(decoding: body.suffix(4), as: UTF8.self) == "wxyz")
    }
  }
}
