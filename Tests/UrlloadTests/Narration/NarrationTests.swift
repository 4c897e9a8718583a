import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// `-v` tells each step when it takes place: a server that stops shows how far a load has come.
@Suite(.timeLimit(.minutes(10))) struct NarrationTests {
  /// Runs the tool at a terminal until it has shown `text`, then ends it.
  private func shown(_ text: String, _ arguments: String...) async throws -> String {
    let terminal = try PseudoTerminal(columns: 200)
    _ = try await Tool().run(list: ["-v", "-s"] + arguments, terminal: terminal) { process in
      _ = await terminal.drawing { $0.contains(text) }
      process.terminate()
    }
    return terminal.text
  }

  /// A socket that accepts and says nothing.
  private func withSilentServer<Result>(_ body: (Int) async throws -> Result) async throws -> Result {
    let server = try LoopbackSocket(backlog: 4)
    defer { withExtendedLifetime(server) {} }
    return try await body(server.port)
  }

  @Test func serverThatStopsInTheHandshakeIsSeen() async throws {
    try await withSilentServer { port in
      let text = try await shown("TLS handshake", "--resolve", "a.test:\(port):127.0.0.1", "https://a.test:\(port)/")
      for line in [
        "* looking up a.test", "* a.test is at 127.0.0.1", "* connected to 127.0.0.1 port \(port)", "* TLS handshake with a.test",
      ] {
        #expect(text.contains(line), "\(line): \(text)")
      }
      #expect(!text.contains("> GET"))
    }
  }

  @Test func serverThatDoesNotAnswerIsSeen() async throws {
    try await withSilentServer { port in
      let text = try await shown("> Accept", "http://127.0.0.1:\(port)/x?y")
      #expect(text.contains("> GET /x?y HTTP/1.1") && text.contains("> Host: 127.0.0.1:\(port)"))
    }
  }

  @Test func handshakeIsToldWithItsCertificate() async throws {
    let authority = try TestCertificateAuthority()
    try await Tool.withDirectory { tool, directory async throws in
      try authority.pem.write(to: directory.appending(path: "ca.pem"))
      try await TestServer.with(.http2(authority.issue())) { server async throws in
        server.route("/", reply: .text("hello"))
        let outcome = try await tool.run("-v", "--cacert", "ca.pem", server.url("/").absoluteString)
        for text in ["* TLS 1.3, ", "ALPN h2", "*   certificate: ", "the server's certificate is trusted", "> GET / HTTP/2\n", "> host: "] {
          #expect(outcome.errors.contains(text), "\(text): \(outcome.errors)")
        }
        let refused = try await tool.run("-v", server.url("/").absoluteString)
        #expect(refused.status == 60)
        #expect(refused.errors.contains("* TLS failed: ") && refused.errors.contains("*   certificate: "), "\(refused.errors)")
        let accepted = try await tool.run("-v", "-k", server.url("/").absoluteString)
        #expect(accepted.errors.contains("(-k)"), "\(accepted.errors)")
        let other = try await tool.run(
          "--cacert", "ca.pem", "--pinnedpubkey", "sha256//" + Data(count: 32).base64EncodedString(), server.url("/").absoluteString)
        #expect(other.status == 90, "\(other.errors)")
      }
    }
  }

  @Test func redirectsAndReuseAreTold() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("-v", server.url("/relative-redirect/1").absoluteString)
      #expect(outcome.errors.contains("* redirected: GET \(server.url("/get").absoluteString)\n"), "\(outcome.errors)")
      #expect(outcome.errors.contains("is used again\n"))
      #expect(outcome.errors.contains("> GET /get HTTP/1.1\n"))
    }
  }

  @Test func secretsAreShownOnlyWhereThatIsWanted() async throws {
    try await withStandardServer { server in
      let url = server.url("/get").absoluteString
      let options = ["-v", "-H", "Authorization: Bearer t0ken", "-H", "X-Api-Key: k3y"]
      let masked = try await Tool().run(list: options + [url])
      #expect(!masked.errors.contains("t0ken") && !masked.errors.contains("k3y"))
      let shown = try await Tool().run(list: options + ["--show-secrets", url])
      #expect(shown.errors.contains("> Authorization: Bearer t0ken\n") && shown.errors.contains("> X-Api-Key: k3y\n"))
    }
  }

  @Test func metricsOfAFailureShowWhereItEnded() async throws {
    try await withSilentServer { port in
      let outcome = try await Tool().run("-s", "--metrics", "-m", "0.3", "https://127.0.0.1:\(port)/")
      #expect(outcome.status == 28)
      #expect(outcome.errors.contains("-> no response"), "\(outcome.errors)")
    }
  }

  @Test func cacheSaysWhatItDecidesAndWhy() async throws {
    try await TestServer.with(.http) { server async throws in
      server.route("/page", reply: Reply(headers: ["Cache-Control": "max-age=3600", "ETag": "\"1\""], body: .text("page")))
      try await Tool.withDirectory { tool, directory async throws in
        let place = ["URL_LOADING_SYSTEM_HOME": directory.path]
        let url = server.url("/page").absoluteString
        let first = try await tool.run("-v", "--cache", url, environment: place)
        #expect(first.errors.contains("* cache: the server is asked, because nothing is stored\n"), "\(first.errors)")
        let second = try await tool.run("-v", "--cache", url, environment: place)
        #expect(second.errors.contains("* cache: what is stored is used, because it is fresh\n"), "\(second.errors)")
        let third = try await tool.run("-v", "--cache", "-H", "Cache-Control: no-cache", url, environment: place)
        #expect(third.errors.contains(", because the request has no-cache\n"), "\(third.errors)")
        #expect(try await !tool.run("-v", url, environment: place).errors.contains("cache:"))
      }
    }
  }

  @Test func dialogueOfFTPIsToldWithoutThePassword() async throws {
    let steps: [RawStep] = [
      .send("220-welcome\r\n220 here\r\n"), .read(until: "\r\n"), .send("331 password?\r\n"), .read(until: "\r\n"), .send("530 no\r\n"),
      .readToEnd,
    ]
    try await TestServer.with(.raw(steps)) { server async throws in
      let port = try #require(server.url("/").port)
      let outcome = try await Tool().run("-v", "-u", "ann:s3cret", "ftp://127.0.0.1:\(port)/file")
      #expect(outcome.status == 67, "\(outcome.errors)")
      let told = outcome.errors.split(separator: "\n").filter { "<>".contains($0.first ?? " ") }
      #expect(told.prefix(6) == ["< 220-welcome", "< 220 here", "> USER ann", "< 331 password?", "> PASS ***", "< 530 no"])
      #expect(outcome.errors.contains("* connected to 127.0.0.1 port \(port)"), "\(outcome.errors)")
    }
  }

  @Test(arguments: [("550 no such file", 78), ("421 later", 1)]) func whatFTPRefusesHasAStatusOfItsOwn(
    _ reply: String, _ status: Int
  ) async throws {
    let steps: [RawStep] = [
      .send("220 here\r\n"), .read(until: "\r\n"), .send("230 welcome\r\n"), .read(until: "\r\n"), .send("\(reply)\r\n"), .readToEnd,
    ]
    try await TestServer.with(.raw(steps)) { server async throws in
      let port = try #require(server.url("/").port)
      let outcome = try await Tool().run("ftp://127.0.0.1:\(port)/folder/file")
      #expect((outcome.status == 78) == (status == 78), "\(outcome.status) \(outcome.errors)")
    }
  }

  @Test func framesOfHTTP2AreToldBothWays() async throws {
    try await TestServer.with(.http2(try TestCertificateAuthority().issue())) { server async throws in
      server.route("/", reply: .text("hello"))
      let url = server.url("/").absoluteString
      let outcome = try await Tool().run("-vv", "-k", url)
      for text in [
        "* > SETTINGS, stream 0, ", "* < SETTINGS, stream 0, ", "* > HEADERS, stream 1, ", "* < HEADERS, stream 1, ",
        "* < DATA, stream 1, 5 bytes", "END_STREAM", "ACK",
      ] {
        #expect(outcome.errors.contains(text), "\(text): \(outcome.errors)")
      }
      #expect(try await !Tool().run("-v", "-k", url).errors.contains("SETTINGS"))
    }
  }

  #if HTTP3
    @Test func framesOfHTTP3AreToldBothWays() async throws {
      try await TestServer.with(.http3(try TestCertificateAuthority().issue())) { server async throws in
        server.route("/", reply: .text("hello"))
        let outcome = try await Tool().run("-vv", "-k", "--http3-only", server.url("/").absoluteString)
        for text in [
          "begins, control", "* > SETTINGS, stream 2, ", "* > HEADERS, stream 0, ", "* < HEADERS, stream 0, ",
          "* < DATA, stream 0, 5 bytes",
          "* TLS handshake with ", "client hello sent",
        ] {
          #expect(outcome.errors.contains(text), "\(text): \(outcome.errors)")
        }
      }
    }
  #endif
}
