import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct ReplyTests {
  @Test func queuedRepliesAreServedInOrderBeforeRoutes() async throws {
    try await TestServer.with { server async throws in
      server.route("/", reply: .text("route"))
      server.enqueue(.text("first"), .text("second", status: 201))
      #expect(try await exchange(server).text.hasSuffix("\r\n\r\nfirst"))
      #expect(try await exchange(server).text.hasPrefix("HTTP/1.1 201 Created\r\n"))
      #expect(try await exchange(server).text.hasSuffix("route"))
      #expect(server.queuedReplies == 0)
    }
  }

  @Test func exactBytesOfAReplyAreWhatItsValueSays() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(200, headers: ["X-One": "1", "x-one": "2"], body: .text("hello")))
      let reply = try await exchange(server)
      #expect(reply.text == "HTTP/1.1 200 OK\r\nX-One: 1\r\nx-one: 2\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
    }
  }

  @Test func chunksAndTrailersAreFramedAsChunked() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(body: .chunks([Data("abc".utf8), Data(), Data("0123456789abcdef".utf8)]), trailers: ["X-Sum": "9"]))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      let reply = try await client.wait(for: "X-Sum: 9\r\n\r\n")
      #expect(
        reply.text
          == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX-Sum: 9\r\n\r\n")
      try await client.close()
    }
  }

  @Test func generatedChunksCarryTheWholeBody() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(body: .repeating(UInt8(ascii: "z"), count: 70000), framing: .chunked))
      let body = try await exchange(server).body
      #expect(String(decoding: body.prefix(9), as: UTF8.self) == "10000\r\nzz")
      let framing = "10000\r\n\r\n1170\r\n\r\n0\r\n\r\n".utf8.count
      #expect(body.count == 70000 + framing)
    }
  }

  @Test func untilCloseHasNoLengthAndEndsTheConnection() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(body: .text("abc"), framing: .untilClose))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      let reply = try await client.waitForEnd()
      #expect(reply.text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
    }
  }

  @Test func informationalResponsesComeFirst() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(204, informational: [.init(102), .init(103, headers: ["Link": "</a>; rel=preload"])]))
      let reply = try await exchange(server)
      #expect(
        reply.text
          == "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
          + "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    }
  }

  @Test func headReplyHasTheLengthAndNoBody() async throws {
    try await TestServer.with { server in
      server.route("/", .GET, reply: .text("hello"))
      let client = try await WireClient.connect(to: server)
      try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      let reply = try await client.waitForEnd()
      #expect(reply.text.contains("Content-Length: 5\r\n"))
      #expect(reply.body.isEmpty)
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrderOnOneConnection() async throws {
    try await TestServer.with { server in
      server.route("/{name}") { .text($0.parameters["name"] ?? "") }
      let client = try await WireClient.connect(to: server)
      let requests = (1...50).map { "GET /n\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
      try await client.send(requests)
      let reply = try await client.wait(for: "n50")
      let order = reply.text.components(separatedBy: "\r\n\r\n").dropFirst().map { String($0.prefix { $0 != "H" }) }
      #expect(order == (1...50).map { "n\($0)" })
      #expect(server.requests.map(\.connection.ordinal) == Array(repeating: 1, count: 50))
      try await client.close()
    }
  }

  @Test func http10ClientGetsNoChunksAndAClosedConnection() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(body: .chunks([Data("ab".utf8), Data("cd".utf8)])))
      let client = try await WireClient.connect(to: server)
      try await client.send("GET / HTTP/1.0\r\n\r\n")
      #expect(try await client.waitForEnd().text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcd")
    }
  }

  @Test func invalidRequestGets400() async throws {
    try await TestServer.with { server in
      let client = try await WireClient.connect(to: server)
      try await client.send("NOT HTTP AT ALL\r\n\r\n")
      #expect(try await client.waitForEnd().status == 400)
      #expect(server.malformedRequests == 1)
    }
  }

  @Test func routeWithTheWrongMethodGets405AndAnUnknownPath404() async throws {
    try await TestServer.with { server in
      server.route("/form", .POST, reply: Reply())
      let refused = try await exchange(server, "/form")
      #expect(refused.status == 405)
      #expect(refused.text.contains("Allow: POST"))
      #expect(try await exchange(server, "/none").status == 404)
    }
  }

  @Test func routeAddedLaterWins() async throws {
    try await TestServer.with { server async throws in
      server.add(.standard)
      server.route("/get", reply: .text("mine"))
      #expect(try await exchange(server, "/get").text.hasSuffix("mine"))
    }
  }

  @Test func codedRepliesAreValidStreams() async throws {
    try await TestServer.with { server in
      let stored = Data([1, 5, 0, 0xFA, 0xFF]) + Data("hello".utf8)
      server.enqueue(.gzip(Data("hello".utf8)), .deflate(Data("hello".utf8)), .deflate(Data("hello".utf8), bare: true))
      let gzip = try await exchange(server)
      #expect(gzip.text.contains("Content-Encoding: gzip\r\n"))
      #expect(gzip.body == Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]) + stored + Data([0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0]))
      let deflate = try await exchange(server)
      #expect(deflate.body == Data([0x78, 1]) + stored + Data([0x06, 0x2C, 0x02, 0x15]))
      #expect(try await exchange(server).body == stored)
    }
  }
}
