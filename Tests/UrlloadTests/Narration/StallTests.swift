import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// A server that stops: `-v` shows how far the load came, and its end says what it was doing.
@Suite(.timeLimit(.minutes(10))) struct StallTests {
  /// Runs the tool at a terminal until it has shown `text`, interrupts it, and returns all it has shown.
  private func interrupted(at text: String, _ arguments: String...) async throws -> String {
    let terminal = try PseudoTerminal(columns: 200)
    let outcome = try await Tool().run(list: ["-v", "-s", "-o", "/dev/null"] + arguments, terminal: terminal) { process in
      _ = await terminal.drawing { $0.contains(text) }
      process.interrupt()
    }
    #expect(outcome.status == 130)
    return terminal.text
  }

  @Test func serverThatDoesNotAccept() async throws {
    let server = try LoopbackSocket(backlog: 0)
    // More than fit into the line of those that wait to be accepted: the system answers no further one.
    let waiting = try (0..<4).map { _ in try LoopbackSocket.connecting(to: server.port) }
    let text = try await interrupted(at: "* connecting to 127.0.0.1", "http://127.0.0.1:\(server.port)/")
    #expect(text.contains("* gave up while connecting") && !text.contains("* connected"), "\(text)")
    withExtendedLifetime(waiting) {}
  }

  @Test func serverThatDoesNotAnswerTheHello() async throws {
    let server = try LoopbackSocket(backlog: 8)
    let text = try await interrupted(at: "client hello sent", "https://127.0.0.1:\(server.port)/")
    #expect(text.contains("* the TLS handshake was given up") && text.contains("* gave up while in the TLS handshake"), "\(text)")
    #expect(!text.contains("server hello") && !text.contains("TLS failed"), "\(text)")
  }

  @Test func handshakeThatTimesOutIsCalledThat() async throws {
    let server = try LoopbackSocket(backlog: 8)
    let outcome = try await Tool().run("-v", "-m", "0.5", "https://127.0.0.1:\(server.port)/")
    #expect(outcome.status == 28)
    // A process that has too little of the machine may not have come so far.
    guard outcome.errors.contains("client hello sent") else { return }
    #expect(outcome.errors.contains("(while securing the connection)") && !outcome.errors.contains("broke off"), "\(outcome.errors)")
  }

  @Test(arguments: [
    (["--tls-max", "1.3"], "server hello received", "server hello received"),
    (["--tls-max", "1.2"], "finished sent", "certificate received"),
  ]) func serverThatStopsInTheHandshake(_ options: [String], _ last: String, _ seen: String) async throws {
    try await TestServer.with(.https(try TestCertificateAuthority().issue())) { server async throws in
      let port = try #require(server.url("/").port)
      let relay = try HandshakeRelay(to: port)
      defer { relay.stop() }
      let terminal = try PseudoTerminal(columns: 200)
      _ = try await Tool().run(list: ["-v", "-s", "-k"] + options + ["https://127.0.0.1:\(relay.port)/"], terminal: terminal) { process in
        _ = await terminal.drawing { $0.contains(last) }
        process.interrupt()
      }
      #expect(terminal.text.contains(seen) && terminal.text.contains("* gave up while in the TLS handshake"), "\(terminal.text)")
    }
  }

  @Test func serverThatDoesNotReadTheRequest() async throws {
    let server = try LoopbackSocket(backlog: 8)
    try await Tool.withDirectory { tool, directory async throws in
      try Data(count: 32 << 20).write(to: directory.appending(path: "body"))
      let terminal = try PseudoTerminal(columns: 200)
      let list = ["-v", "-s", "-T", "body", "-H", "Expect:", "http://127.0.0.1:\(server.port)/"]
      _ = try await tool.run(list: list, terminal: terminal) { process in
        _ = await terminal.drawing { $0.contains("> Content-Length: \(32 << 20)") }
        process.interrupt()
      }
      #expect(terminal.text.contains("* gave up while sending the request") && !terminal.text.contains("has been sent"), "\(terminal.text)")
    }
  }

  @Test func serverThatStopsInTheHead() async throws {
    try await TestServer.with(.raw([.readRequestHead, .send("HTTP/1.1 200 OK\r\nContent-"), .waitForRelease("never")])) {
      server async throws in
      let text = try await interrupted(at: "the response's head begins", server.url("/").absoluteString)
      #expect(text.contains("* gave up while waiting for the response, of whose head 17 bytes had come"), "\(text)")
    }
  }

  @Test func serverThatStopsInTheBody() async throws {
    let steps: [RawStep] = [.readRequestHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")]
    try await TestServer.with(.raw(steps + [.waitForRelease("never")])) { server async throws in
      let text = try await interrupted(at: "< Content-Length: 100", server.url("/").absoluteString)
      #expect(text.contains("< HTTP/1.1 200 OK"), "\(text)")
    }
    try await TestServer.with(.raw(steps + [.close])) { server async throws in
      let outcome = try await Tool().run("-v", server.url("/").absoluteString)
      #expect(outcome.status == 18)
      #expect(outcome.errors.contains("* gave up while receiving the body, of which 5 of 100 bytes had come"), "\(outcome.errors)")
    }
  }

  @Test func bodyThatIsSentIsTold() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory async throws in
        try Data(count: 4 << 20).write(to: directory.appending(path: "body"))
        let outcome = try await tool.run("-v", "-T", "body", server.url("/put").absoluteString)
        #expect(outcome.errors.contains("* the request's body has been sent, 4.19 MB\n"), "\(outcome.errors)")
      }
    }
  }
}
