import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct EventsCommandTests {
  private let stream = "id: 7\nevent: tick\ndata: {\"a\":1}\n\ndata: one\ndata: two\n\n"

  private func run(_ arguments: String...) async throws -> (Tool.Outcome, [RecordedRequest]) {
    try await withStandardServer { server in
      server.enqueue(Reply(200, headers: ["Content-Type": "text/event-stream"], body: .text(stream)))
      let outcome = try await Tool().run(list: ["sse"] + arguments.map { $0.replacing("URL", with: server.url("/x").absoluteString) })
      return (outcome, server.requests)
    }
  }

  @Test func eventsAreWrittenAsTheyCome() async throws {
    #expect(try await run("--once", "URL").0.text == "event: tick\nid: 7\n{\"a\":1}\n\nid: 7\none\ntwo\n\n")
    #expect(try await run("--once", "--data-only", "URL").0.text == "{\"a\":1}\none\ntwo\n")
    #expect(try await run("--once", "--pretty", "format", "--data-only", "URL").0.text == "{\n  \"a\": 1\n}\none\ntwo\n")
    #expect(
      try await run("--once", "--json-lines", "URL").0.text
        == "{\"data\":\"{\\\"a\\\":1}\",\"event\":\"tick\",\"id\":\"7\"}\n{\"data\":\"one\\ntwo\",\"event\":\"message\",\"id\":\"7\"}\n")
  }

  /// The stream's end is the end of what was asked for by POST.
  @Test func requestsMayHaveABody() async throws {
    let (outcome, requests) = try await run("--data-only", "post", "URL", "model=m", "stream:=true")
    #expect(outcome.status == 0 && outcome.text.hasPrefix("{\"a\":1}\n"), "\(outcome.errors)")
    #expect(requests.map(\.method) == ["POST"] && requests[0].text == #"{"model": "m", "stream": true}"#)
  }

  @Test func cookiesAndMistakesAreThoseOfOtherLoads() async throws {
    let (outcome, requests) = try await run("--once", "-b", "a=b", "URL")
    #expect(outcome.status == 0 && requests.map { $0.headers["Cookie"] } == ["a=b"], "\(outcome.errors)")
    for option in [["-o", "file"], ["-i"], ["-w", "x"]] {
      let (outcome, requests) = try await withStandardServer { server in
        (try await Tool().run(list: ["sse", "--once"] + option + [server.url("/x").absoluteString]), server.requests)
      }
      #expect(outcome.status == 64 && outcome.errors.contains("leave --") && requests.isEmpty, "\(outcome.errors)")
    }
  }

  /// A port that nothing listens on looks like a quiet stream otherwise.
  @Test func connectionsThatFailAreTold() async throws {
    let (terminal, port) = (try PseudoTerminal(columns: 200), try ClosedPort())
    let outcome = try await Tool().run(list: ["sse", "http://127.0.0.1:\(port.number)/x"], terminal: terminal) { process in
      _ = await terminal.drawing { $0.contains("connecting again in ") }
      process.interrupt()
    }
    #expect(outcome.status != 0 && terminal.text.contains("urlload: "), "\(terminal.text)")
  }

  @Test func otherAnswersAreFailures() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("sse", server.url("/status/404").absoluteString)
      #expect(outcome.status == 8 && outcome.errors.contains("404"), "\(outcome.errors)")
    }
  }
}
