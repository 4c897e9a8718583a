import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

/// `--trace` and `--trace-ascii`.
@Suite(.timeLimit(.minutes(10))) struct TraceTests {
  @Test func dumpHasSixteenBytesALine() {
    #expect(
      TraceFile.text(of: Array("GET /f.txt HTTP/1.1\r\n".utf8), .hex) == """
        0000: 47 45 54 20 2f 66 2e 74 78 74 20 48 54 54 50 2f GET /f.txt HTTP/
        0010: 31 2e 31 0d 0a                                  1.1..

        """)
    #expect(TraceFile.text(of: [], .hex) == "")
  }

  @Test func dumpAsTextEndsLinesWhereTheyEnd() {
    #expect(TraceFile.text(of: Array("A: 1\r\n\r\nb\nc".utf8), .text) == "0000: A: 1\n0006: \n0008: b.c\n")
    let full = String(repeating: "x", count: 64)
    #expect(TraceFile.text(of: Array("\(full)\r\n\(full)y".utf8), .text) == "0000: \(full)\n0042: \(full)\n0082: y\n")
  }

  private func text(_ name: String, _ directory: URL) throws -> String {
    try String(contentsOf: directory.appending(path: name), encoding: .utf8)
  }

  /// What both tools say of what they received.
  private func received(_ text: String) -> [Substring] {
    text.split(separator: "\n").drop { !$0.hasPrefix("<= Recv header") }.filter { !$0.hasPrefix("== Info") }
  }

  @Test(arguments: ["--trace", "--trace-ascii"]) func traceOfAResponseIsCurls(_ option: String) async throws {
    let curl = URL(filePath: "/usr/bin/curl")
    guard FileManager.default.isExecutableFile(atPath: curl.path) else { return }
    let steps: [RawStep] = [
      .readRequestHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 300\r\nX-Long: \(String(repeating: "v", count: 70))\r\n\r\n"),
      .send(String(repeating: "line\r\n", count: 50)),
    ]
    try await TestServer.with(.raw(steps)) { server async throws in
      let url = server.url("/").absoluteString
      try await Tool.withDirectory { tool, directory async throws in
        #expect(try await tool.run(option, "ours", "-o", "/dev/null", url).status == 0)
        let process = try ChildProcess(
          curl.path, ["-q", "-s", option, directory.appending(path: "theirs").path, "-o", "/dev/null", url], in: directory)
        _ = await process.end()
        let ours = try text("ours", directory)
        let theirs = try text("theirs", directory)
        // The pieces in which a body comes are up to the system.
        let heads = received(theirs).prefix { !$0.hasPrefix("<= Recv data") }
        #expect(heads.count > 3 && received(ours).starts(with: heads), "\(ours)\n\(theirs)")
        #expect(ours.contains("=> Send header, "))
      }
    }
  }

  @Test func traceHasBodiesAndMasksSecrets() async throws {
    try await TestServer.with(.http2(try TestCertificateAuthority().issue())) { server async throws in
      server.route("/", reply: Reply(headers: ["Set-Cookie": "id=s3cret"], body: .text("answer")))
      let url = server.url("/").absoluteString
      let list = ["-k", "-d", "question", "-H", "Authorization: Bearer t0ken", "-o", "/dev/null"]
      let masked = try await Tool().run(list: ["--trace-ascii", "-"] + list + [url]).text
      #expect(masked.contains("=> Send data, 8 bytes (0x8)\n0000: question\n"), "\(masked)")
      #expect(masked.contains("<= Recv data, 6 bytes (0x6)\n0000: answer\n"), "\(masked)")
      #expect(masked.contains(": POST / HTTP/2\n") && masked.contains("== Info: connected to "), "\(masked)")
      #expect(!masked.contains("t0ken") && !masked.contains("s3cret"))
      let shown = try await Tool().run(list: ["--trace-ascii", "-", "--show-secrets"] + list + [url]).text
      #expect(shown.contains("Bearer t0ken") && shown.contains("id=s3cret"))
    }
  }

  @Test func traceThatCannotBeWrittenIsAFailure() async throws {
    let outcome = try await Tool().run("--trace", "/nowhere/trace", "http://127.0.0.1:9/")
    #expect(outcome.status == 23 && outcome.errors.contains("/nowhere/trace"), "\(outcome.errors)")
  }

  @Test func traceGoesTogetherWithARecording() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory async throws in
        #expect(try await tool.run("--trace", "t", "--har", "h.har", server.url("/get").absoluteString).status == 0)
        #expect(try text("t", directory).contains("<= Recv data") && text("h.har", directory).contains("/get"))
      }
    }
  }
}
