import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct FetchTests {
  @Test func bodyGoesToStandardOutput() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run(server.url("/bytes/1000000").absoluteString)
      #expect(outcome.status == 0)
      #expect(outcome.output.count == 1_000_000)
      #expect(outcome.output.prefix(26) == Data("abcdefghijklmnopqrstuvwxyz".utf8))
      #expect(outcome.errors.isEmpty)
    }
  }

  @Test func severalURLsFollowEachOtherOnOneConnection() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run(server.url("/bytes/3").absoluteString, server.url("/bytes/4").absoluteString)
      #expect(outcome.text == "abcabcd")
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test func includePutsTheHeadAsReceivedBeforeTheBody() async throws {
    try await withStandardServer { server in
      server.enqueue(Reply(200, headers: ["X-b": "2", "Set-Cookie": "x=1", "X-a": "1"], body: .text("body")))
      let outcome = try await Tool().run("-i", server.url("/").absoluteString)
      let expected = "HTTP/1.1 200 OK\r\nX-b: 2\r\nSet-Cookie: x=1\r\nX-a: 1\r\nContent-Length: 4\r\n\r\nbody"
      #expect(outcome.text == expected)
    }
  }

  @Test func headAsksByHEADAndShowsTheHead() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("-I", server.url("/bytes/5").absoluteString)
      #expect(outcome.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(outcome.text.hasSuffix("\r\n\r\n"))
      #expect(server.requests.first?.method == "HEAD")
    }
  }

  @Test func redirectsAreFollowedUnlessForbidden() async throws {
    try await withStandardServer { server in
      let url = server.url("/relative-redirect/2").absoluteString
      let followed = try await Tool().run("-L", url)
      #expect(followed.text.contains("\"method\":\"GET\""))
      let shown = try await Tool().run("--no-location", "-i", url)
      #expect(shown.text.hasPrefix("HTTP/1.1 302 "))
      #expect(server.requestCount == 4)
    }
  }

  @Test func givenHostGoesAlongWithinTheServer() async throws {
    try await withStandardServer { first async throws in
      try await withStandardServer { second async throws in
        first.route("/go", reply: Reply(302, headers: ["Location": "/get"]))
        first.route("/away", reply: Reply(302, headers: ["Location": second.url("/get").absoluteString]))
        for path in ["/go", "/away"] {
          #expect(try await Tool().run("-H", "Host: shop.test", first.url(path).absoluteString).status == 0)
        }
        #expect(first.requests.map { $0.headers["Host"] } == ["shop.test", "shop.test", "shop.test"])
        #expect(second.requests.map { $0.headers["Host"] } == ["127.0.0.1:\(second.port)"])
      }
    }
  }

  @Test func compressedBodiesAreDecoded() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("--compressed", server.url("/gzip").absoluteString)
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: outcome.output) }
      #expect(server.requests.first?.headers["Accept-Encoding"]?.contains("gzip") == true)
    }
  }

  @Test func dataAndFileURLsAreServed() async throws {
    try await Tool.withDirectory { tool, directory in
      let file = directory.appending(path: "note.txt")
      try Data("a file".utf8).write(to: file)
      let outcome = try await tool.run("data:,hello%20", file.absoluteString)
      #expect(outcome.text == "hello a file")
      #expect(outcome.status == 0)
      let head = try await tool.run("-I", file.absoluteString)
      #expect(head.text == "Content-Length: 6\r\nContent-Type: text/plain\r\n" && head.status == 0)
    }
  }

  @Test func verboseMasksCredentials() async throws {
    try await withStandardServer { server in
      server.enqueue(Reply(200, headers: ["Set-Cookie": "session=abc123; Path=/", "X-Steer": "\u{9B}2J"], body: .text("b")))
      let outcome = try await Tool().run(
        "-v", "-H", "Authorization: Bearer t0ken", "-H", "Cookie: a=s3cret", "-H", "X-Plain: seen", server.url("/").absoluteString)
      #expect(outcome.text == "b")
      #expect(outcome.errors.contains("> GET / HTTP/1.1\n"))
      #expect(outcome.errors.contains("> Authorization: Bearer ***\n"))
      #expect(outcome.errors.contains("> X-Plain: seen\n"))
      #expect(outcome.errors.contains("< HTTP/1.1 200 OK\n"))
      #expect(outcome.errors.contains("< Set-Cookie: session=***; Path=/\n"))
      #expect(outcome.errors.contains("* connected to 127.0.0.1 port \(server.port)"))
      for secret in ["t0ken", "s3cret", "abc123", "\u{9B}"] { #expect(!outcome.errors.contains(secret)) }
    }
  }

  @Test func metricsDrawEachTransaction() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("--metrics", "-s", server.url("/relative-redirect/1").absoluteString)
      let errors = outcome.errors
      #expect(errors.contains("2 transactions"))
      #expect(errors.contains("/relative-redirect/1 -> 302\n"))
      #expect(errors.contains("/get -> 200\n"))
      #expect(errors.contains("reused connection to 127.0.0.1"))
      #expect(errors.contains("  waiting "))
      #expect(errors.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }
}
