import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem

/// `urlload leaks PID`: this process, which tests of the library run in, is asked.
@Suite(.timeLimit(.minutes(10))) struct HeldCommandTests {
  private final class ForgottenClient: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private(set) lazy var session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
  }

  private struct Answer: Decodable {
    let held: [URLSession.HeldObject]
  }

  @Test(.enabled(if: !TestProgram.isEmulated, "\(TestProgram.signalsAreHidden)"))
  func runningProcessTellsWhatItHolds() async throws {
    weak var session: URLSession?
    session = ForgottenClient().session
    try await Tool.withDirectory { tool, directory in
      let outcome = try await tool.run("leaks", "--json", "-o", "report", "\(getpid())")
      #expect(outcome.status == 1 && outcome.errors.isEmpty, "\(outcome.errors)")
      let answer = try JSONDecoder().decode(Answer.self, from: Data(contentsOf: directory.appending(path: "report")))
      let leak = try #require(answer.held.first { $0.name.hasSuffix("ForgottenClient") })
      #expect(leak.isLeaked && leak.kind == .session && leak.holders.first?.hasPrefix("URLSession → delegate: ") == true)

      let text = try await tool.run("leaks", "\(getpid())")
      #expect(text.status == 1, "\(text.errors)")
      #expect(text.errors.contains("leaked by loading") && text.errors.contains("ForgottenClient"), "\(text.errors)")
    }
    session?.invalidateAndCancel()
  }

  @Test func processesThatCantAnswerAreRefused() async throws {
    try await Tool.withDirectory { tool, _ in
      let sleeper = try ChildProcess("sleep", ["600"])
      let other = try await tool.run("leaks", "\(sleeper.identifier)")
      #expect(other.status == 2 && other.errors.contains("doesn't answer"))
      // It hasn't been ended by a signal that it doesn't know.
      #expect(sleeper.isRunning)
      sleeper.kill()
      _ = await sleeper.end()
      let gone = try await tool.run("leaks", "\(sleeper.identifier)")
      #expect(gone.status == 1 && gone.errors.contains("there is no process"))
      #expect(try await tool.run("leaks", "0").status == 64)
      #expect(try await tool.run("leaks", "--graph", "x", "1").status == 64)
    }
  }

  @Test func reportIsWrittenAtExit() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let file = directory.appending(path: "held")
        let outcome = try await tool.run("-o", "page", server.url("/").absoluteString, environment: ["URL_LOADING_SYSTEM_LEAKS": file.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try String(contentsOf: file, encoding: .utf8).contains("0 objects are leaked by loading"))
      }
    }
  }
}
