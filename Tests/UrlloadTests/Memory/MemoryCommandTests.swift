import ChildProcesses
import Foundation
import ProcessMemory
import Testing

@testable import urlload

/// The built tool: `urlload memory`.
@Suite(.timeLimit(.minutes(10))) struct MemoryCommandTests {
  /// Whether this system permits tracing.
  static let isTracingPermitted: Bool = {
    guard let command = try? TracedCommand.start(["true"]) else { return false }
    return command.waitForEnd {} == .exit(0)
  }()

  private func run(_ arguments: String...) async throws -> Tool.Outcome {
    try await Tool.withDirectory { tool, _ in try await tool.run(list: ["memory"] + arguments) }
  }

  @Test func aProcessIsShownByItsRegionsAndSums() async throws {
    let outcome = try await run("\(getpid())")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let lines = outcome.text.split(separator: "\n")
    #expect(lines.first?.hasPrefix("Process \(getpid()) (") == true)
    #expect(lines.contains { $0.hasPrefix("Stack ") && $0.contains("[stack]") && $0.contains("thread \(getpid()) ") })
    #expect(Sanitizer.isActive || lines.contains { $0.hasPrefix("MALLOC ") && $0.contains("[heap]  main heap") })
    #expect(lines.last?.hasPrefix("TOTAL ") == true)
  }

  @Test func theSummaryHasTheSumsAlone() async throws {
    let outcome = try await run("--self", "--summary")
    #expect(outcome.status == 0 && outcome.text.contains("\nTOTAL ") && !outcome.text.contains("[stack]"))
  }

  @Test func jsonIsWhatALaterDifferenceReads() async throws {
    try await Tool.withDirectory { tool, folder in
      let file = folder.appending(path: "before.json")
      let written = try await tool.run("memory", "\(getpid())", "--json", "-o", file.path)
      #expect(written.status == 0 && written.output.isEmpty)
      let document = try MapDocument(json: Data(contentsOf: file))
      #expect(document.process == getpid() && document.total.resident > 0)
      let difference = try await tool.run("memory", "\(getpid())", "--diff", file.path)
      #expect(difference.status == 0 && difference.text.contains("since \(file.path)") && difference.text.contains("\nTOTAL "))
    }
  }

  @Test func twoMomentsAreCompared() async throws {
    let time = try await run("\(getpid())", "--diff", "0s")
    #expect(time.status == 0 && time.text.hasPrefix("Changes of process \(getpid()) "))
    // Standard input ends at once, as if Enter was pressed.
    let enter = try await run("\(getpid())", "--diff", "enter")
    #expect(enter.status == 0 && enter.text.contains("\nTOTAL ") && enter.errors.contains("Press Enter"))
  }

  @Test(
    arguments: [
      (["2147483647"], 1, "no process 2147483647"), (["--self", "--diff", "/no/such.json"], 37, "/no/such.json"),
      (["--self", "--diff", "/dev/null"], 37, "isn't what"), (["--self", "-o", "/no/such/file"], 23, "/no/such/file"), ([], 64, "Usage"),
      (["1", "--self"], 64, "Usage"), (["0"], 64, "Usage"), (["99999999999"], 64, "Usage"), (["1", "--after", "2s"], 64, "--after"),
      (["--self", "--json", "--diff", "1s"], 64, "--json"), (["--diff", "enter", "--", "true"], 64, "enter"),
      (["--diff", "1s", "--after", "1s", "--", "true"], 64, "--diff"), (["--", "no-such-command"], 127, "no such command"),
      (["--", "/etc/passwd"], 126, "isn't executable"), (["--diff", "/no/such.json", "--", "true"], 37, "/no/such.json"),
    ] as [([String], Int32, String)])
  func aFailureHasItsStatusAndAReason(_ arguments: [String], _ status: Int32, _ reason: String) async throws {
    let outcome = try await Tool.withDirectory { tool, _ in try await tool.run(list: ["memory"] + arguments) }
    #expect(outcome.status == status && outcome.errors.contains(reason) && outcome.output.isEmpty, "\(outcome.errors)")
  }

  @Test func aClosedPipeIsNoCrash() async throws {
    let outcome = try await Tool.withDirectory { tool, _ in try await tool.runIntoClosedPipe("memory", "--self") }
    #expect(outcome.status == 23 && outcome.errors.isEmpty)
  }

  @Test(.enabled(if: isTracingPermitted, "tracing isn't permitted here"))
  func aCommandIsShownAtItsEndAndItsStatusHandedOn() async throws {
    let outcome = try await run("--", "sh", "-c", "echo said; exit 9")
    #expect(outcome.status == 9 && outcome.text.hasPrefix("said\nProcess ") && outcome.text.contains(" (sh), 1 thread\n"))
    #expect(try await run("--summary", "--", "sh", "-c", "kill -TERM $$").status == 143)
  }

  @Test(.enabled(if: isTracingPermitted, "tracing isn't permitted here"))
  func aMomentOfARunningCommandIsShown() async throws {
    try await Tool.withDirectory { tool, folder in
      // The command waits for the map in a pipe: it is written after the moment, or never.
      try #require(mkfifo(folder.appending(path: "pipe").path, 0o600) == 0)
      let outcome = try await tool.run("memory", "--after", "10ms", "--json", "-o", "pipe", "--", "sh", "-c", "cat pipe > map.json; exit 5")
      #expect(outcome.status == 5 && outcome.output.isEmpty)
      #expect(try MapDocument(json: Data(contentsOf: folder.appending(path: "map.json"))).total.resident > 0)
    }
  }

  @Test(.enabled(if: isTracingPermitted, "tracing isn't permitted here"))
  func aCommandThatEndsBeforeTheMomentIsShownAtItsEnd() async throws {
    let after = try await run("--after", "1h", "--summary", "--", "true")
    #expect(after.status == 0 && after.text.contains("\nTOTAL "))
    let difference = try await run("--diff", "1h", "--", "true")
    #expect(difference.status == 0 && difference.output.isEmpty && difference.errors.contains("before the first moment"))
  }

  @Test(.enabled(if: isTracingPermitted, "tracing isn't permitted here"))
  func aCommandIsComparedWithAFile() async throws {
    try await Tool.withDirectory { tool, _ in
      #expect(try await tool.run("memory", "--json", "-o", "before.json", "--", "true").status == 0)
      let outcome = try await tool.run("memory", "--diff", "before.json", "--", "true")
      #expect(outcome.status == 0 && outcome.text.hasPrefix("Changes since before.json: process "))
    }
  }
}
