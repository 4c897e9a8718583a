import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

/// `--parallel`.
@Suite(.timeLimit(.minutes(10))) struct ParallelTests {
  @Test func loadsRunAtOnceAndEachIsTold() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let gate = Gate()
        for name in ["a", "b", "c"] { server.route("/\(name)", reply: Reply(body: .text(name), faults: [.delayBeforeBody(gate)])) }
        let urls = ["/a", "/b", "/c"].map { server.url($0).absoluteString }
        let outcome = try await tool.run(list: ["--parallel", "3", "-O"] + urls) { _ in
          try await gate.reached(3)
          gate.open()
        }
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 3)
      }
    }
  }

  @Test func failureOfOneLeavesTheOthers() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let urls = ["/bytes/10", "/status/404", "/bytes/20"].map { server.url($0).absoluteString }
        let outcome = try await tool.run(list: ["-f", "--parallel", "2", "-O"] + urls)
        #expect(outcome.status == 22)
        #expect(outcome.errors.contains("404"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.count == 2, "\(names)")
      }
    }
  }

  @Test func bodiesAreNotMixedOnStandardOutput() async throws {
    #expect(try await Tool().run("--parallel", "2", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b").status == 64)
  }

  @Test(arguments: 0...120) func linesFitTheTerminal(width: Int) {
    let line = ProgressLine(received: 5_000_000, expected: 10_000_000, rate: 2_500_000, elapsed: 2)
    let text = ProgressBoard.text("a-rather-long-name-of-a-file.tar.gz", line, width: width)
    #expect(text.count <= max(0, width - 1))
  }

  @Test func totalStandsAboveTheOthersAsFarAsThereIsRoom() {
    #expect(ProgressBoard.lines("total", ["a", "b"], height: 24) == ["total", "a", "b"])
    #expect(ProgressBoard.lines("total", ["a", "b", "c", "d"], height: 5) == ["total", "a", "b", "and 2 more"])
    #expect(ProgressBoard.lines("total", ["a", "b"], height: 1) == ["total", "and 2 more"])
  }

  @Test func rateIsThatOfAllLoadsTogether() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, _ in
        let urls = (0..<4).map { server.url("/bytes/50000").absoluteString + "?\($0)" }
        let begin = ContinuousClock.now
        let outcome = try await tool.run(list: ["-s", "-Z", "--limit-rate", "100k"] + urls.flatMap { ["-o", "f\($0.suffix(1))", $0] })
        #expect(outcome.status == 0, "\(outcome.errors)")
        // Each alone would take half a second.
        #expect(ContinuousClock.now - begin > .seconds(1.5))
      }
    }
  }
}
