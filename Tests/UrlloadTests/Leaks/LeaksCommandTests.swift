import ChildProcesses
import Foundation
import Testing

/// `urlload leaks` as a program. What it finds in programs of Swift is tested with ProcessMemory.
@Suite(.timeLimit(.minutes(10))) struct LeaksCommandTests {
  private static let source = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    void *kept;
    static void leak(size_t size) { memset(malloc(size), 1, size); }
    static void clear(void) { volatile char left[16384]; for (int i = 0; i < 16384; i++) left[i] = 0; }
    int main(int count, char **arguments) {
      kept = malloc(50);
      if (count > 1 && strcmp(arguments[1], "leak") == 0) leak(1234);
      if (count > 1 && strcmp(arguments[1], "abort") == 0) abort();
      clear();
      puts("output of the command");
      return count > 1 ? 5 : 0;
    }
    """

  /// Compiles a program in `directory`; nil where there is no compiler.
  private func program(in directory: URL) async throws -> String? {
    let (source, program) = (directory.appending(path: "p.c"), directory.appending(path: "program"))
    try Data(LeaksCommandTests.source.utf8).write(to: source)
    let compiler = try ChildProcess("cc", ["-O0", "-o", program.path, source.path])
    return await compiler.end() == .exit(0) ? program.path : nil
  }

  private static let needed = "needs the product urlload-leaks, without sanitizers and emulators"

  /// Whether the library was built beside the tests, and without a sanitizer, which programs that load it would have to have as well; and no
  /// emulator runs them.
  static var hasLibrary: Bool {
    !Sanitizer.isActive && !TestProgram.isEmulated && FileManager.default.fileExists(atPath: TestProgram.product("liburlload-leaks.so"))
  }

  private func withProgram(_ body: (Tool, URL, String) async throws -> Void) async throws {
    try await Tool.withDirectory { tool, directory in
      guard let program = try await program(in: directory) else { return }
      try await body(tool, directory, program)
    }
  }

  @Test(.enabled(if: LeaksCommandTests.hasLibrary, "\(needed)"))
  func leakIsReportedAndGivesStatusOne() async throws {
    try await withProgram { tool, _, program in
      let outcome = try await tool.run("leaks", "--", program, "leak")
      #expect(outcome.status == 1)
      #expect(outcome.text == "output of the command\n")
      #expect(outcome.errors.contains("when it ended: 1 leak of 1 block, 1234 bytes"))
      #expect(outcome.errors.contains("malloc block, 1234 bytes, allocated by leak (program)"))
    }
  }

  @Test(.enabled(if: LeaksCommandTests.hasLibrary, "\(needed)"))
  func cleanCommandGivesStatusZero() async throws {
    try await withProgram { tool, _, program in
      let outcome = try await tool.run("leaks", "--", program)
      #expect(outcome.status == 0 && outcome.errors.contains("no leaks"))
      // Its own status doesn't matter.
      #expect(try await tool.run("leaks", "--", program, "other").status == 0)
    }
  }

  @Test(.enabled(if: LeaksCommandTests.hasLibrary, "\(needed)"))
  func reportsGoToFiles() async throws {
    try await withProgram { tool, directory, program in
      let outcome = try await tool.run("leaks", "--json", "-o", "report", "--graph", "graph.dot", "--", program, "leak")
      #expect(outcome.status == 1 && outcome.errors.isEmpty)
      let json = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.appending(path: "report"))) as? [String: Any]
      #expect(json?["leakedBytes"] as? Int == 1234 && json?["moment"] as? String == "atExit" && json?["exitStatus"] as? Int == 5)
      let graph = try String(contentsOf: directory.appending(path: "graph.dot"), encoding: .utf8)
      #expect(graph.hasPrefix("digraph leaks {") && graph.contains("1234 bytes"))
      #expect(try await tool.run("leaks", "-o", "no/folder/file", "--", program).status == 23)
    }
  }

  @Test(.enabled(if: LeaksCommandTests.hasLibrary, "\(needed)"))
  func holdersAreTold() async throws {
    try await withProgram { tool, _, program in
      let outcome = try await tool.run("leaks", "--references", "malloc block", "--", program)
      #expect(outcome.status == 0 && outcome.errors.contains("global kept (program) → malloc block"))
      let nothing = try await tool.run("leaks", "--references", "NoSuchType", "--", program)
      #expect(nothing.status == 1 && nothing.errors.contains("no block in use is NoSuchType"))
    }
  }

  @Test(.enabled(if: LeaksCommandTests.hasLibrary, "\(needed)"))
  func killedCommandIsSaid() async throws {
    try await withProgram { tool, _, program in
      let outcome = try await tool.run("leaks", "--", program, "abort")
      #expect(outcome.status == 128 + SIGABRT && outcome.errors.contains("signal \(SIGABRT) ended the command"))
    }
  }

  @Test(.enabled(if: LeaksCommandTests.hasLibrary, "\(needed)"))
  func commandIsEndedByAClosedPipeAsWithoutTheTool() async throws {
    try await withProgram { tool, _, _ in
      let outcome = try await tool.run("leaks", "--", "cat", "/proc/self/status")
      let line = try #require(outcome.text.split(separator: "\n").first { $0.hasPrefix("SigIgn:") })
      let ignored = try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) })
      #expect(ignored & 1 << (UInt64(SIGPIPE) - 1) == 0)
    }
  }

  @Test func wrongUseIsRefused() async throws {
    try await Tool.withDirectory { tool, directory in
      #expect(try await tool.run("leaks").status == 64)
      #expect(try await tool.run("leaks", "--limit", "0", "--", "true").status == 64)
      #expect(try await tool.run("leaks", "--signal", "KILL", "--", "true").status == 64)
      let missing = try await tool.run("leaks", "--", "no-such-command")
      #expect(missing.status == 127 && missing.errors == "urlload: no-such-command: there is no such command\n")
      let script = directory.appending(path: "text")
      try Data("text".utf8).write(to: script)
      #expect(try await tool.run("leaks", "--", script.path).status == 126)
      let library = try await tool.run("leaks", "--", "true", environment: ["URLLOAD_LEAKS_LIBRARY": "/no/library.so"])
      #expect(library.status == 126 && library.errors.contains("the library /no/library.so is missing"))
    }
  }
}
