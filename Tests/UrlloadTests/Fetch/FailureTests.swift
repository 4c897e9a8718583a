import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct FailureTests {
  /// The path of a loopback server, its faults, the exit status.
  private static let faults: [(Reply, Int32)] = [
    (Reply(faults: [.garbage(Data("nonsense\r\n\r\n".utf8))]), 8),
    (Reply(body: .pattern(count: 100), faults: [.disconnectAfterBodyBytes(10)]), 18),
    (Reply(faults: [.disconnectBeforeHeaders]), 18),
    (Reply(headers: ["Content-Encoding": "gzip"], body: .text("not gzip")), 61),
  ]

  @Test(arguments: 0..<4) func faultsHaveTheirStatus(index: Int) async throws {
    let (reply, status) = FailureTests.faults[index]
    try await withStandardServer { server in
      server.route("/fault", reply: reply)
      let outcome = try await Tool().run(server.url("/fault").absoluteString)
      #expect(outcome.status == status, "\(outcome.errors)")
      #expect(outcome.errors.hasPrefix("urlload: "))
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func endlessRedirectsHaveTheirStatus() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run(server.url("/relative-redirect/30").absoluteString)
      #expect(outcome.status == 47)
    }
  }

  @Test(
    arguments: [
      ("", 3), ("mailto:me", 3), ("gopher://example.com/", 3), ("http://name.invalid/", 6), ("http://127.0.0.1:1/", 7),
      ("file:///nowhere/at/all", 37), ("data:nothing", 61),
    ] as [(String, Int32)]) func addressesThatCannotWorkHaveTheirStatus(url: String, status: Int32) async throws
  {
    let outcome = try await Tool().run(url)
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("urlload: "))
    #expect(outcome.output.isEmpty)
  }

  @Test func remediesAreTheTools() async throws {
    let socket = try await Tool().run("ws://127.0.0.1:1/")
    #expect(socket.status == 3)
    #expect(socket.errors.contains("urlload ws URL"), "\(socket.errors)")
    try await withStandardServer { server in
      server.route("/in") { request in
        request.headers["Authorization"] == nil ? Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]) : Reply(201)
      }
      let outcome = try await Tool().run("-u", "me:pw", "-H", "Expect:", "-T", "-", server.url("/in").absoluteString, input: Data("x".utf8))
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("--basic") && !outcome.errors.contains("needNewBodyStream"), "\(outcome.errors)")
      // No login is involved here.
      server.route("/moved", reply: Reply(307, headers: ["Location": "/in"]))
      let moved = try await Tool().run("-H", "Expect:", "-T", "-", server.url("/moved").absoluteString, input: Data("x".utf8))
      #expect(moved.status == 65)
      #expect(moved.errors.contains("name a file") && !moved.errors.contains("--basic"), "\(moved.errors)")
    }
  }

  @Test(arguments: [[], ["-r", "5-"], ["--segments", "2"], ["-C", "-"]])
  func rangeThatIsNotContinuedFailsAsOtherStatuses(options: [String]) async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        server.route("/none", reply: Reply(416, body: .text("no such range")))
        let arguments = options + ["-o", "out", server.url("/none").absoluteString]
        let outcome = try await tool.run(list: ["-f"] + arguments)
        #expect(outcome.status == 22, "\(outcome.errors)")
        #expect(outcome.errors.contains("416"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
      }
    }
  }

  @Test func untrustedCertificateHasItsStatus() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.routes = .standard
    try await TestServer.with(options) { server in
      let refused = try await Tool().run(server.url("/get").absoluteString)
      #expect(refused.status == 60, "\(refused.errors)")
      try await Tool.withDirectory { tool, directory in
        let file = directory.appending(path: "authority.pem")
        try authority.pem.write(to: file)
        let trusted = try await tool.run("-v", server.url("/get").absoluteString, environment: ["SSL_CERT_FILE": file.path])
        #expect(trusted.status == 0, "\(trusted.errors)")
        #expect(trusted.errors.contains("TLS 1.3"))
      }
    }
  }

  @Test func plainServerBehindHTTPSHasItsStatus() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("https://127.0.0.1:\(server.port)/")
      #expect(outcome.status == 35, "\(outcome.errors)")
    }
  }

  @Test(arguments: ["--max-time", "--connect-timeout"]) func timeoutsHaveTheirStatus(option: String) async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run(option, "0.2", server.url("/delay/never").absoluteString)
      #expect(outcome.status == 28)
      #expect(outcome.errors.contains("timed out"))
      #expect(outcome.errors.contains(option))
    }
  }

  @Test func failReportsHTTPErrorsWithoutTheirBody() async throws {
    try await withStandardServer { server in
      server.route("/gone", reply: .text("the page", status: 404))
      let url = server.url("/gone").absoluteString
      let kept = try await Tool().run(url)
      #expect((kept.status, kept.text) == (0, "the page"))
      let failed = try await Tool().run("-f", url)
      #expect((failed.status, failed.text) == (22, ""))
      #expect(failed.errors.contains("404"))
      let silent = try await Tool().run("-fs", url)
      #expect((silent.status, silent.errors) == (22, ""))
      let told = try await Tool().run("-fsS", url)
      #expect((told.status, told.errors) == (22, failed.errors))
    }
  }

  private static func problem(_ json: String, status: Int = 403) -> Reply {
    Reply(status, headers: ["Content-Type": "application/problem+json"], body: .text(json))
  }

  @Test func failTellsWhatTheServerSaysForPrograms() async throws {
    try await withStandardServer { server in
      server.route("/poor", reply: Self.problem(#"{"title":"Not enough credit","detail":"30 are left,\n50 \u001b[31mare needed"}"#))
      server.route("/long", reply: Self.problem(#"{"title":"\#(String(repeating: "x", count: 5000))"}"#))
      server.route("/endless", reply: Self.problem(#"{"title":"\#(String(repeating: "x", count: 500_000))"}"#))
      server.route("/broken", reply: Self.problem("{"))
      let poor = try await Tool().run("-f", server.url("/poor").absoluteString)
      #expect((poor.status, poor.text) == (22, ""))
      #expect(poor.errors.hasPrefix("urlload: the server answered 403 ("))
      #expect(poor.errors.hasSuffix("): Not enough credit: 30 are left, 50 \u{FFFD}[31mare needed\n"), "\(poor.errors)")
      let long = try await Tool().run("-f", server.url("/long").absoluteString)
      #expect(long.status == 22 && (1000...1200).contains(long.errors.count))
      for path in ["/endless", "/broken"] {
        let untold = try await Tool().run("-f", server.url(path).absoluteString)
        #expect(untold.status == 22 && untold.errors.contains("403") && untold.errors.contains("leave --fail out"))
      }
      #expect(try await Tool().run("-fs", server.url("/poor").absoluteString).errors.isEmpty)
    }
  }

  @Test func failWithBodyWritesTheBodyAndFails() async throws {
    try await withStandardServer { server in
      server.route("/gone", reply: .text("the page", status: 404))
      server.route("/poor", reply: Self.problem(#"{"title":"Poor"}"#))
      let page = try await Tool().run("--fail-with-body", server.url("/gone").absoluteString)
      #expect((page.status, page.text) == (22, "the page"))
      #expect(page.errors.contains("404") && !page.errors.contains("leave"))
      let problem = try await Tool().run("--fail-with-body", server.url("/poor").absoluteString)
      #expect((problem.status, problem.text) == (22, #"{"title":"Poor"}"#))
      #expect(problem.errors.contains("): Poor"))
      try await Tool.withDirectory { tool, directory in
        let kept = try await tool.run("--fail-with-body", "-o", "out", server.url("/gone").absoluteString)
        #expect(kept.status == 22)
        #expect(try Data(contentsOf: directory.appending(path: "out")) == Data("the page".utf8))
      }
      #expect(try await Tool().run("--fail-with-body", server.url("/bytes/2").absoluteString).status == 0)
      #expect(try await Tool().run("-f", "--fail-with-body", server.url("/gone").absoluteString).status == 64)
    }
  }

  @Test func laterURLsAreLoadedAfterAFailure() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("file:///nowhere", server.url("/bytes/2").absoluteString)
      #expect(outcome.status == 37)
      #expect(outcome.text == "ab")
    }
  }

  @Test func passwordsInURLsAreNotTold() async throws {
    let outcome = try await Tool().run("-v", "http://user:s3cret@127.0.0.1:1/")
    #expect(outcome.status == 7)
    #expect(!outcome.errors.contains("s3cret"))
  }

  @Test func interruptCancelsAndLeavesNoFile() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let gate = Gate()
        server.enqueue(Reply(body: .pattern(count: 100_000), faults: [.stallAfter(bodyBytes: 50_000, gate: gate)]))
        let outcome = try await tool.run("-o", "out", server.url("/").absoluteString) { process in
          try await gate.reached()
          process.interrupt()
        }
        #expect(outcome.status == 130)
        #expect(outcome.errors.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        try await server.waitForConnections(open: 0)
      }
    }
  }

  @Test(arguments: [["-H", ": x"], ["-I", "-d", "x"], ["--max-time", "-1"], ["-o", "a", "-O"], ["--unknown"], []])
  func wrongUsageHasItsStatus(arguments: [String]) async throws {
    let outcome = try await Tool().run(list: arguments + (arguments.isEmpty ? [] : ["http://127.0.0.1:1/"]))
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("Usage:"))
  }
}
