import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// `urlload ws`, between pipes and at a terminal.
@Suite(.timeLimit(.minutes(10))) struct WebSocketCommandTests {
  private struct Bench: Sendable {
    let server: TestServer
    let service: WebSocketService
    let tool: Tool
    let directory: URL
    var url: String { "ws" + server.url("/socket").absoluteString.dropFirst(4) }

    func run(_ arguments: String..., input: String = "") async throws -> Tool.Outcome {
      try await tool.run(list: ["ws"] + arguments + [url], input: Data(input.utf8))
    }
  }

  private func with(
    _ conduct: WebSocketService.Conduct, headers: HeaderList = [:], options: TestServer.Options = .http,
    _ body: (Bench) async throws -> Void
  ) async throws {
    try await Tool.withDirectory { tool, directory async throws in
      try await TestServer.with(options) { server async throws in
        let service = WebSocketService(conduct, headers: headers)
        server.route("/socket", .GET, reply: .webSocket(service))
        try await body(Bench(server: server, service: service, tool: tool, directory: directory))
      }
    }
  }

  @Test func linesAreMessagesAndMessagesAreLines() async throws {
    try await with(.echo) { bench async throws in
      let outcome = try await bench.run(input: "one\ntwo, κόσμε\r\n\n/ping\nlast")
      #expect(outcome.text == "one\ntwo, κόσμε\n\n/ping\nlast\n", "\(outcome.errors)")
      #expect(outcome.status == 0 && outcome.errors.isEmpty)
      #expect(bench.service.frames.map(\.opcode) == Array(repeating: .text, count: 5) + [.close])
      #expect(bench.service.frames.last?.closeCode == 1000)
    }
  }

  @Test func lineThatCannotBeSentIsAFailure() async throws {
    try await with(.echo) { bench async throws in
      let outcome = try await bench.tool.run(list: ["ws", bench.url], input: Data([0xFF, 0xFE, 0x0A]) + Data("last\n".utf8))
      #expect((outcome.status, outcome.text) == (26, "last\n"))
      #expect(outcome.errors.contains("isn't UTF-8"))
    }
  }

  @Test func manyLinesAllComeBack() async throws {
    try await with(.echo) { bench async throws in
      let lines = (0..<2000).map { "line \($0) " + String(repeating: "x", count: $0 % 100) }.joined(separator: "\n") + "\n"
      let outcome = try await bench.run(input: lines)
      let isSame = outcome.text == lines
      #expect(isSame && outcome.status == 0)
    }
  }

  @Test func bytesAreHexadecimalUnlessAskedFor() async throws {
    let script: [WebSocketService.Step] = [
      .send(.binary(Data([0, 1, 0xFF]))), .send(.text("t")), .receive(1), .send(.close(1000)), .disconnect,
    ]
    try await with(.script(script)) { bench async throws in
      #expect(try await bench.run().text == "0001ff\nt\n")
      #expect(try await bench.run("--binary").output == Data([0, 1, 0xFF]) + Data("t".utf8))
    }
  }

  @Test func inputOfBytesIsSentAsItIs() async throws {
    try await with(.echo) { bench async throws in
      let input = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      let outcome = try await bench.tool.run(list: ["ws", "--binary", bench.url], input: input)
      let isSame = outcome.output == input
      #expect(isSame && outcome.status == 0)
      #expect(bench.service.frames.first?.opcode == .binary)
      let text = try await bench.run(input: "\u{FEFF}fine\n")
      #expect(text.text == "\u{FEFF}fine\n")
    }
  }

  @Test func linesThatAreNoTextAreRefused() async throws {
    try await with(.echo) { bench async throws in
      let outcome = try await bench.tool.run(list: ["ws", bench.url], input: Data("a\n".utf8) + Data([0xFF, 0x0A]) + Data("b\n".utf8))
      #expect(outcome.text == "a\nb\n")
      #expect(outcome.errors.contains("--binary"))
    }
  }

  @Test func aServerThatClosesForAReasonOfItsOwnIsAFailure() async throws {
    try await with(.script([.send(.text("x")), .send(.close(1011, "out of order")), .receive(1), .disconnect])) { bench async throws in
      let outcome = try await bench.run("--stay")
      #expect(outcome.status == 1 && outcome.text == "x\n")
      #expect(outcome.errors == "urlload: the server closed the WebSocket with 1011 (out of order)\n")
    }
    try await with(.script([.send(.close(1000)), .receive(1), .disconnect])) { bench async throws in
      #expect(try await bench.run("--stay").status == 0)
    }
    try await with(.script([.disconnect])) { bench async throws in
      #expect(try await bench.run("--stay").status == 18)
    }
    try await with(.script([.send(.text("12345")), .receive(1), .disconnect])) { bench async throws in
      let outcome = try await bench.run("--stay", "--max-size", "4")
      #expect(outcome.status == 63 && outcome.errors.contains("--max-size"))
    }
  }

  @Test func otherAnswersAreAFailure() async throws {
    try await with(.echo) { bench async throws in
      bench.server.route("/page", .GET, reply: .text("hello"))
      bench.server.route("/private", .GET, reply: Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]))
      let root = bench.url.dropLast("/socket".count)
      let page = try await bench.tool.run("ws", "\(root)/page")
      #expect(page.status == 8 && page.errors.contains("answered 200"))
      #expect(try await bench.tool.run("ws", "\(root)/private").status == 67)
      #expect(try await bench.tool.run("ws", "ws://127.0.0.1:1/").status == 7)
      #expect(try await bench.tool.run("ws", "gopher://127.0.0.1/").status == 3)
      #expect(try await bench.tool.run("ws").status == 64)
    }
  }

  @Test func optionsShapeTheHandshake() async throws {
    let authority = try TestCertificateAuthority()
    let options = TestServer.Options.https(try authority.issue())
    try await with(.echo, headers: ["Sec-WebSocket-Protocol": "b"], options: options) { bench async throws in
      try authority.pem.write(to: bench.directory.appending(path: "ca.pem"))
      #expect(try await bench.run().status == 60)
      let service = bench.service
      bench.server.route("/socket", .GET) { request in
        guard request.headers["Authorization"] != nil else { return Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]) }
        return .webSocket(service)
      }
      for trust in [["--cacert", "ca.pem"], ["-k"]] {
        let arguments = ["ws", "-v"] + trust + ["-u", "me:s3cret", "--subprotocol", "a", "--subprotocol", "b", "-H", "X-Token: t=1"]
        let outcome = try await bench.tool.run(list: arguments + [bench.url], input: Data("x\n".utf8))
        #expect(outcome.text == "x\n" && outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("subprotocol b") && outcome.errors.contains("101") && !outcome.errors.contains("s3cret"))
        let seen = try #require(bench.server.requests.last)
        #expect(seen.headers["Sec-WebSocket-Protocol"] == "a, b" && seen.headers["X-Token"] == "t=1")
      }
    }
  }

  @Test func aSignalClosesTheWebSocket() async throws {
    try await with(.echo) { bench async throws in
      let outcome = try await bench.tool.run(list: ["ws", "--stay", bench.url], input: Data("x\n".utf8)) { process in
        try await bench.service.received(1)
        process.interrupt()
      }
      #expect(outcome.status == 130)
      #expect(try await bench.service.closeFrame()?.closeCode == 1001)
    }
  }

  @Test func pingsTellWhetherTheServerIsThere() async throws {
    try await with(.script([.receive(1000)])) { bench async throws in
      let outcome = try await bench.run("--stay", "--ping-interval", "2")
      #expect(outcome.status == 28 && outcome.errors.contains("ping"))
      #expect(try await bench.service.received(1).first?.opcode == .ping)
    }
    try await with(.echo) { bench async throws in
      let outcome = try await bench.tool.run(list: ["ws", "--stay", "--ping-interval", "5", bench.url]) { process in
        try await bench.service.received(2)
        process.terminate()
      }
      #expect(outcome.status == 143, "\(outcome.errors)")
    }
  }

  @Test func aTerminalTakesCommands() async throws {
    let terminal = try PseudoTerminal(columns: 80)
    try await with(.echo) { bench async throws in
      // One that can't move its cursor: lines are edited by the system.
      let dumb = ["TERM": "dumb"]
      let outcome = try await bench.tool.run(list: ["ws", bench.url], environment: dumb, terminal: terminal, terminalUse: .everything) {
        _ in
        #expect(await terminal.drawing { $0.contains("* connected") } != nil)
        // The terminal shows what is typed, and then what comes.
        for (typed, shown) in [
          ("hello", "hello\r\nhello"), ("//slash", "//slash\r\n/slash"), ("/ping", "* pong after"), ("/nope", "no such"),
        ] {
          terminal.type(typed + "\n")
          #expect(await terminal.drawing { $0.contains(shown) } != nil, "\(typed): \(terminal.text)")
        }
        terminal.type("\u{1B}[31m\n")
        #expect(await terminal.drawing { $0.contains("\u{FFFD}[31m") } != nil)
        terminal.type("/close 4001 bye for now\n")
      }
      #expect(outcome.status == 0)
      #expect(terminal.text.contains("* closed with 4001: bye for now"))
      let close = try await bench.service.closeFrame()
      #expect(close?.closeCode == 4001)
    }
  }

  @Test func theEndOfATerminalsInputClosesToo() async throws {
    let terminal = try PseudoTerminal(columns: 80)
    try await with(.echo) { bench async throws in
      let outcome = try await bench.tool.run(list: ["ws", bench.url], terminal: terminal, terminalUse: .everything) { _ in
        #expect(await terminal.drawing { $0.contains("* connected") } != nil)
        terminal.type("\u{04}")
      }
      #expect(outcome.status == 0 && terminal.text.contains("* closed with 1000"))
    }
  }

  /// Types at a terminal until it shows `last`, then ends the input.
  private func typed(_ text: String, until last: String, _ bench: Bench, _ arguments: String...) async throws -> String {
    let terminal = try PseudoTerminal(columns: 100)
    let outcome = try await bench.tool.run(
      list: ["ws"] + arguments + [bench.url], environment: ["TERM": "xterm", "NO_COLOR": "1"], terminal: terminal, terminalUse: .everything
    ) { _ in
      _ = await terminal.drawing { $0.contains("* connected") }
      terminal.type(text)
      _ = await terminal.drawing { $0.contains(last) }
      terminal.type("\u{4}")
    }
    #expect(outcome.status == 0, "\(terminal.text)")
    return terminal.text
  }

  @Test func linesAreEditedAtATerminal() async throws {
    try await with(.echo) { bench async throws in
      let text = try await typed("wörld\u{1}hello \u{5}!?\u{7F}\nx\u{1B}[A\n", until: "< hello wörld!", bench)
      let said = bench.service.frames.filter { $0.opcode == .text }.map { String(decoding: $0.payload, as: UTF8.self) }
      #expect(said.first == "hello wörld!", "\(text)")
      #expect(text.contains("> hello wörld!") && text.contains("< hello wörld!"), "\(text)")
    }
  }

  @Test func jsonAndBytesAreReadableAtATerminal() async throws {
    let script: [WebSocketService.Step] = [
      .send(.text("{\"a\":[1]}")), .send(.binary(Data([0, 0x41, 0xFF]))), .send(.text("last")), .receive(1), .send(.close(1000)),
      .disconnect,
    ]
    try await with(.script(script)) { bench async throws in
      let text = try await typed("", until: "< last", bench)
      #expect(text.contains("\"a\": [") && text.contains("< 3 bytes") && text.contains("0000: 00 41 ff") && text.contains(".A."), "\(text)")
    }
    try await with(.script(script)) { bench async throws in
      let plain = try await typed("", until: "< last", bench, "--pretty", "none")
      #expect(plain.contains("< {\"a\":[1]}"), "\(plain)")
    }
  }

  @Test func webSocketIsOpenedAgain() async throws {
    let script: [WebSocketService.Step] = [.send(.text("here")), .disconnect]
    try await with(.script(script)) { bench async throws in
      let terminal = try PseudoTerminal(columns: 100)
      let outcome = try await bench.tool.run(list: ["ws", "--stay", "--reconnect", bench.url], terminal: terminal) { process in
        _ = await terminal.drawing { $0.components(separatedBy: "* connected").count > 3 }
        process.interrupt()
      }
      #expect(outcome.status == 130 && outcome.text.hasPrefix("here\nhere\n"), "\(outcome.text)")
      #expect(terminal.text.contains("opening it again in 1.00 s"), "\(terminal.text)")
    }
  }

  @Test func webSocketThatNeverOpenedIsNotOpenedAgain() async throws {
    try await withStandardServer { server async throws in
      let url = "ws" + server.url("/get").absoluteString.dropFirst(4)
      #expect(try await Tool().run("ws", "--reconnect", url).status == 8)
    }
  }
}
