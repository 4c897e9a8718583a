import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// What is drawn for a user, on pseudo-terminals.
@Suite(.timeLimit(.minutes(10))) struct TerminalTests {
  private static let total = 1_000_000
  private static let escape: Character = "\u{1B}"
  /// What removes a line that takes three since the terminal has become narrower.
  private static let threeLinesRemoved = "\u{1B}[2A\u{1B}[J"

  private func withTerminal(
    columns: Int = 80, _ body: @Sendable (TestServer, Tool, PseudoTerminal) async throws -> Void
  ) async throws {
    let terminal = try PseudoTerminal(columns: columns)
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, _ in try await body(server, tool, terminal) }
    }
  }

  /// A reply that stops in the middle until the gate opens.
  private static func halted(_ gate: Gate) -> Reply {
    Reply(body: .pattern(count: total), faults: [.stallAfter(bodyBytes: total / 2, gate: gate)])
  }

  /// The lines of progress in what was drawn.
  private static func frames(_ text: some StringProtocol) -> [String] {
    String(text).replacing("\r\n", with: "\r").split(separator: "\r").map { String($0).replacing(/\u{1B}\[[0-9]*[A-Z]/, with: "") }
      .filter { $0.contains("%") }
  }

  /// The line of before takes three lines of the narrower terminal: all are removed, and a narrower one is drawn.
  private static func hasNarrowFrame(_ text: Substring) -> Bool {
    guard let removal = text.firstRange(of: "\u{1B}[2A\u{1B}[J") else { return false }
    return frames(text[removal.upperBound...]).dropLast().contains { $0.count < 40 }
  }

  @Test func progressIsDrawnInOneLineAndLeavesItsLastState() async throws {
    try await withTerminal { server, tool, terminal in
      let gate = Gate()
      server.enqueue(TerminalTests.halted(gate))
      let outcome = try await tool.run("-o", "out", server.url("/x").absoluteString, terminal: terminal) { _ in
        #expect(await terminal.drawing { TerminalTests.frames($0).contains { $0.hasPrefix(" 50% ▕█") } } != nil)
        gate.open()
      }
      #expect(outcome.status == 0)
      let screen = PseudoTerminal.screen(terminal.text)
      #expect(screen.count == 2 && screen[0].hasPrefix("100% ▕█") && screen[1].isEmpty, "\(screen)")
      #expect(TerminalTests.frames(terminal.text).allSatisfy { $0.count < 80 })
    }
  }

  @Test func progressFollowsTheTerminalsWidth() async throws {
    try await withTerminal(columns: 100) { server, tool, terminal in
      let gate = Gate()
      server.enqueue(TerminalTests.halted(gate))
      _ = try await tool.run("-o", "out", server.url("/x").absoluteString, terminal: terminal) { _ in
        // The last frame may have been read in part only.
        #expect(await terminal.drawing { TerminalTests.frames($0).dropLast().contains { 80..<100 ~= $0.count } } != nil)
        terminal.resize(columns: 40)
        let narrow = await terminal.drawing { text in
          guard let removed = text.firstRange(of: TerminalTests.threeLinesRemoved) else { return false }
          return TerminalTests.frames(text[removed.upperBound...]).dropLast().contains { $0.count < 40 }
        }
        #expect(narrow != nil, "\(terminal.text.suffix(300).debugDescription)")
        let before = terminal.text.count
        terminal.resize(columns: 120)
        let wide = await terminal.drawing(after: before) { TerminalTests.frames($0).dropLast().contains { 100..<120 ~= $0.count } }
        #expect(wide != nil, "\(terminal.text.suffix(300).debugDescription)")
        gate.open()
      }
    }
  }

  @Test func severalLoadsHaveALineEachAndOneForAll() async throws {
    try await withTerminal { server, tool, terminal in
      let gate = Gate()
      for name in ["a.bin", "b.bin"] { server.route("/\(name)", reply: TerminalTests.halted(gate)) }
      let urls = ["/a.bin", "/b.bin"].map { server.url($0).absoluteString }
      let outcome = try await tool.run(list: ["--parallel", "2", "-O"] + urls, terminal: terminal) { _ in
        let drawn = await terminal.drawing { PseudoTerminal.screen(String($0)).filter { $0.contains(" 50% ") }.count == 3 }
        let screen = PseudoTerminal.screen(drawn ?? "")
        #expect(screen.first?.hasPrefix("0 of 2 done") == true)
        #expect(Set(screen.dropFirst().prefix(2).map { $0.prefix(5) }) == ["a.bin", "b.bin"])
        gate.open()
      }
      #expect(outcome.status == 0)
      // The last state of each, and what each is saved as.
      let screen = PseudoTerminal.screen(terminal.text).filter { !$0.isEmpty }
      #expect(screen.filter { $0.contains("100% ▕█") }.count == 2 && screen.filter { $0.contains("saved as") }.count == 2, "\(screen)")
      #expect(screen.count == 4, "\(screen)")
    }
  }

  @Test func silentMeansSilent() async throws {
    try await withTerminal { server, tool, terminal in
      let urls = ["/bytes/10", "/bytes/20"].map { server.url($0).absoluteString }
      let outcome = try await tool.run(list: ["-s", "--parallel", "2", "-O"] + urls, terminal: terminal)
      #expect(outcome.status == 0)
      #expect(terminal.text.isEmpty)
    }
  }

  @Test func failureRemovesTheProgressAndSaysWhy() async throws {
    try await withTerminal { server, tool, terminal in
      let gate = Gate()
      server.enqueue(Reply(body: .pattern(count: 1000), faults: [.stallAfter(bodyBytes: 500, gate: gate), .disconnectAfterBodyBytes(600)]))
      let outcome = try await tool.run("-o", "out", server.url("/x").absoluteString, terminal: terminal) { _ in
        #expect(await terminal.drawing { !TerminalTests.frames($0).isEmpty } != nil)
        gate.open()
      }
      #expect(outcome.status == 18)
      let screen = PseudoTerminal.screen(terminal.text)
      #expect(screen.count == 2 && screen[0].hasPrefix("urlload: "), "\(screen)")
    }
  }

  @Test(arguments: [(["TERM": "xterm", "NO_COLOR": ""], true), (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false)])
  func coloursAreForTerminalsWhoseUserWantsThem(environment: [String: String], isColoured: Bool) async throws {
    try await withTerminal { server, tool, terminal in
      let url = server.url("/bytes/10").absoluteString
      let outcome = try await tool.run("--metrics", "-v", url, environment: environment, terminal: terminal)
      #expect(outcome.status == 0)
      #expect(terminal.text.contains("response"))
      #expect(terminal.text.contains("\u{1B}[3") == isColoured)
    }
  }

  @Test func terminalWithoutAddressableCursorHasNoProgress() async throws {
    try await withTerminal { server, tool, terminal in
      let url = server.url("/bytes/10").absoluteString
      let outcome = try await tool.run("-o", "out", url, environment: ["TERM": "dumb"], terminal: terminal)
      #expect(outcome.status == 0)
      #expect(terminal.text.isEmpty)
    }
  }

  @Test func nothingIsDrawnWhereNobodyWatches() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, _ in
        let url = server.url("/bytes/10").absoluteString
        let plain = try await tool.run("-o", "out", url)
        #expect((plain.status, plain.errors) == (0, ""))
        let told = try await tool.run("--metrics", "-v", "-o", "out", url)
        #expect(!told.errors.contains(TerminalTests.escape) && !told.errors.contains("\r"))
      }
    }
  }
}
