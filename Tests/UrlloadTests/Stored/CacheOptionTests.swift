import Foundation
import Testing
import URLLoadingTestKit

/// The cache on disk, used and inspected from run to run.
@Suite(.timeLimit(.minutes(10))) struct CacheOptionTests {
  private func withCache(
    _ reply: Reply, _ body: (TestServer, String, (String...) async throws -> Tool.Outcome) async throws -> Void
  ) async throws {
    try await TestServer.with(.http) { server async throws in
      server.route("/page", reply: reply)
      try await Tool.withDirectory { tool, directory in
        let place = ["URL_LOADING_SYSTEM_HOME": directory.path]
        try await body(server, server.url("/page").absoluteString) { (arguments: String...) in
          try await tool.run(list: arguments, environment: place)
        }
      }
    }
  }

  private static let fresh = Reply(
    headers: ["Cache-Control": "max-age=3600", "Content-Type": "text/plain", "Set-Cookie": "id=s3cret"], body: .text("page"))

  @Test func freshResponseIsLoadedOnce() async throws {
    try await withCache(CacheOptionTests.fresh) { server, url, run async throws in
      for _ in 0..<3 { #expect(try await run("--cache", url).text == "page") }
      #expect(server.requestCount == 1)
      #expect(try await run(url).text == "page")
      #expect(server.requestCount == 2)
    }
  }

  @Test func staleResponseIsConfirmed() async throws {
    try await withCache(.text("other")) { server, url, run async throws in
      server.route("/page") { request in
        request.headers["If-None-Match"] == "\"1\""
          ? Reply(304) : Reply(headers: ["Cache-Control": "no-cache", "ETag": "\"1\""], body: .text("page"))
      }
      for _ in 0..<2 { #expect(try await run("--cache", url).text == "page") }
      #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
    }
  }

  @Test func storedResponsesAreListedShownAndRemoved() async throws {
    try await withCache(CacheOptionTests.fresh) { server, url, run async throws in
      #expect(try await run("cache").text.hasPrefix("0 responses; "))
      #expect(try await run("--cache", url).status == 0)
      let list = try await run("cache", "ls").text
      #expect(list.hasPrefix("200 ") && list.contains(url) && list.contains("fresh 59 m") && list.contains("\n1 response; "))
      let facts = try await run("cache", "show", url).text
      #expect(facts.contains("< HTTP/1.1 200 OK\n") && facts.contains("< Cache-Control: max-age=3600\n"))
      #expect(!facts.contains("s3cret"))
      #expect(try await run("cache", "show", "--body", url).text == "page")
      #expect(try await run("cache", "rm", url).status == 0)
      #expect(try await run("cache", "ls").text.hasPrefix("0 responses; "))
      for verb in ["show", "rm"] {
        let outcome = try await run("cache", verb, url)
        #expect(outcome.status == 37)
        #expect(outcome.errors.contains("nothing is stored"))
      }
      #expect(server.requestCount == 1)
    }
  }

  @Test func everythingIsRemovedAtOnce() async throws {
    try await withCache(CacheOptionTests.fresh) { server, url, run async throws in
      #expect(try await run("--cache", url, url + "?2").status == 0)
      #expect(try await run("cache", "rm", "--all").status == 0)
      #expect(try await run("cache", "ls").text.hasPrefix("0 responses; "))
      #expect(try await run("cache", "rm").status == 64)
    }
  }
}
