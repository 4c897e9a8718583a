import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

/// `--no-clobber` replaces no file, whenever that was made.
@Suite(.timeLimit(.minutes(10))) struct NoClobberTests {
  private func text(_ name: String, in directory: URL) throws -> String {
    String(decoding: try Data(contentsOf: directory.appending(path: name)), as: UTF8.self)
  }

  private func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  @Test(arguments: [[], ["--segments", "2"]]) func existingFileStaysBesideANumberedOne(options: [String]) async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        try Data("old".utf8).write(to: directory.appending(path: "out"))
        for path in ["/range/300000", "/bytes/300000"] {
          let arguments = options + ["--no-clobber", "-w", "%{filename_effective}", "-o", "out", server.url(path).absoluteString]
          let outcome = try await tool.run(list: arguments)
          #expect(outcome.status == 0, "\(outcome.errors)")
          #expect(outcome.text == (path.hasPrefix("/range") ? "out.1" : "out.2"))
        }
        #expect(try text("out", in: directory) == "old")
        #expect(try names(in: directory) == ["out", "out.1", "out.2"])
        for name in ["out.1", "out.2"] {
          #expect(try Data(contentsOf: directory.appending(path: name)) == ResumeTests.pattern(300_000))
        }
      }
    }
  }

  @Test func fileThatIsMadeDuringTheLoadStays() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let gate = Gate()
        server.enqueue(Reply(body: .text("new"), faults: [.stallAfter(bodyBytes: 1, gate: gate)]))
        let outcome = try await tool.run("--no-clobber", "-o", "out", server.url("/").absoluteString) { _ in
          try await gate.reached()
          try Data("old".utf8).write(to: directory.appending(path: "out"))
          gate.open()
        }
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try text("out", in: directory) == "old")
        #expect(try text("out.1", in: directory) == "new")
        #expect(try names(in: directory) == ["out", "out.1"])
      }
    }
  }

  @Test func loadsAtTheSameTimeGetDifferentNames() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let gate = Gate()
        for name in ["a", "b"] {
          server.route("/\(name)/index", reply: Reply(body: .text("of \(name)"), faults: [.stallAfter(bodyBytes: 1, gate: gate)]))
        }
        let outcome = try await tool.run("-Z", "--no-clobber", "-O", server.url("/").absoluteString + "{a,b}/index") { _ in
          try await gate.reached(2)
          gate.open()
        }
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names(in: directory) == ["index", "index.1"])
        #expect(Set([try text("index", in: directory), try text("index.1", in: directory)]) == ["of a", "of b"])
      }
    }
  }
}
