import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct FaultTests {
  /// A reply with a fault, and what the app is told of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reply: Reply
    let code: URLError.Code

    init(
      _ description: String, _ code: URLError.Code, _ faults: Fault..., headers: HeaderList = [:], framing: Reply.Framing = .automatic
    ) {
      testDescription = description
      self.code = code
      reply = Reply(headers: headers, body: .pattern(count: 1000), framing: framing, faults: faults)
    }
  }

  private static let cases = [
    Case("no answer", .networkConnectionLost, .disconnectBeforeHeaders),
    Case("head alone", .networkConnectionLost, .disconnectAfterHeaders),
    Case("half a body", .networkConnectionLost, .disconnectAfterBodyBytes(500)),
    Case("half a chunked body", .networkConnectionLost, .disconnectAfterBodyBytes(500), framing: .chunked),
    Case("reset before the head", .networkConnectionLost, .reset),
    Case("reset within the body", .networkConnectionLost, .disconnectAfterBodyBytes(500), .reset),
    Case("too short for its length", .networkConnectionLost, .wrongContentLength(2000), .closeAfterReply(announce: false)),
    Case("contradictory lengths", .cannotParseResponse, headers: ["Content-Length": "1000", "Content-Length": "999"]),
    Case("negative length", .cannotParseResponse, headers: ["Content-Length": "-1"]),
  ]

  /// What HTTP/2 hasn't, or its server can't send: see MisbehavingHTTP2Tests.
  private static let casesOfHTTP1 = [
    Case("oversized head", .cannotParseResponse, .oversizedHeaders(bytes: 1 << 20)),
    Case("garbage", .cannotParseResponse, .garbage(Data("SSH-2.0-OpenSSH_9.6\r\n".utf8))),
    Case("half a head", .networkConnectionLost, .garbage(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8))),
    Case("unknown transfer coding", .cannotParseResponse, headers: ["Transfer-Encoding": "gzip, chunked"]),
  ]

  @Test(arguments: cases, Wire.allCases) func faultHasItsCode(_ fault: Case, _ wire: Wire) async throws {
    try await expect(fault, over: wire)
  }

  @Test(arguments: casesOfHTTP1, Wire.http1) func faultOfHTTP1HasItsCode(_ fault: Case, _ wire: Wire) async throws {
    try await expect(fault, over: wire)
  }

  private func expect(_ fault: Case, over wire: Wire) async throws {
    try await wire.serve({ $0.validatesMessages = false }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(fault.reply)
      let error = await session.failure(of: server.url("/path"))
      #expect(error?.code == fault.code)
      #expect(error?.failingURL == server.url("/path"))
      #expect(server.requestCount == 1)
      try await server.waitUntilGivenUp(over: wire)
      // No queue: a connection that is closing may take a request along, which is then sent again.
      server.route("/", reply: .text("well again"))
      #expect(try await session.text(from: server.url()).0 == "well again")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [
    "zz\r\nhello\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\nhello",
    "5 \u{7F}\r\nhello\r\n0\r\n\r\n",
  ])
  func malformedChunkIsAnError(_ chunks: String) async throws {
    let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
    try await Wire.plain.serve(raw: [.readRequestHead, .send(reply), .readToEnd]) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(await session.failure(of: server.url())?.code == .cannotParseResponse)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [
    "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nbad field: x\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
    "\0\0\0\0",
  ])
  func malformedHeadIsAnError(_ head: String) async throws {
    try await Wire.plain.serve(raw: [.readRequestHead, .send(head), .readToEnd]) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(await session.failure(of: server.url())?.code == .cannotParseResponse)
      session.invalidateAndCancel()
    }
  }

  @Test func manyFieldsAreBounded() async throws {
    try await Wire.plain.serve(raw: [.readRequestHead, .send("HTTP/1.1 200 OK\r\nX: "), .sendRepeating(0x61, count: 1 << 30)]) {
      server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(await session.failure(of: server.url())?.code == .cannotParseResponse)
      try await server.waitForConnections(open: 0)
      #expect(server.sentBytes < 16 << 20)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func completionHandlerGetsNoPartOfABody(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(Reply(body: .pattern(count: 1000), faults: [.disconnectAfterBodyBytes(500)]))
      let (count, status, code) = await withCheckedContinuation { continuation in
        let task = session.dataTask(with: server.url()) { data, response, error in
          continuation.resume(returning: (data?.count, (response as? HTTPURLResponse)?.statusCode, (error as? URLError)?.code))
        }
        task.resume()
      }
      #expect(count == nil)
      #expect(status == 200)
      #expect(code == .networkConnectionLost)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func delegateGetsWhatCameBeforeTheFault(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      server.enqueue(Reply(body: .repeating(7, count: 1000), faults: [.disconnectAfterBodyBytes(500)]))
      let task = session.dataTask(with: server.url())
      task.resume()
      #expect((await recorder.completion(of: task) as? URLError)?.code == .networkConnectionLost)
      #expect(recorder.body == Data(repeating: 7, count: 500))
      session.invalidateAndCancel()
    }
  }

  @Test func bodyUpToTheCloseMustEndWithTLSsAlert() async throws {
    let head = RawStep.send("HTTP/1.1 200 OK\r\n\r\nbody")
    try await Wire.tls.serve(raw: [.readRequestHead, head, .close], [.readRequestHead, head, .closeAbruptly]) {
      server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url()).0 == "body")
      #expect(await session.failure(of: server.url())?.code == .networkConnectionLost)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["GET", "PUT", "DELETE"], Wire.allCases)
  func idempotentRequestOnADeadConnectionIsRepeated(_ method: String, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("1"), Reply(faults: [.disconnectBeforeHeaders]), .text("2"))
      _ = try await session.data(from: server.url())
      let (text, _) = try await session.text(for: URLRequest(method, server.url(), body: method == "PUT" ? Data("x".utf8) : nil))
      #expect(text == "2")
      #expect(server.requests.map(\.connection.ordinal) == [1, 1, 2])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func postOnADeadConnectionIsNotRepeated(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("1"), Reply(faults: [.disconnectBeforeHeaders]), .text("2"))
      _ = try await session.data(from: server.url())
      #expect(await session.failure(of: URLRequest("POST", server.url(), body: Data("x".utf8)))?.code == .networkConnectionLost)
      #expect(server.requestCount == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func safeRequestSurvivesThreeConnectionsAndNoMore(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let lost = Reply(faults: [.disconnectBeforeHeaders])
      server.enqueue(.text("1"), lost, lost, lost, .text("2"))
      _ = try await session.data(from: server.url())
      #expect(try await session.text(from: server.url()).0 == "2")
      #expect(server.requestCount == 5)
      // All of them are on new connections; the last reply isn't asked for.
      await session.barrier()
      server.enqueue(lost, lost, lost, .text("3"))
      #expect(await session.failure(of: server.url())?.code == .networkConnectionLost)
      #expect(server.requestCount == 8)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func requestThatChangesSomethingIsNotRepeatedOnANewConnection(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("1"), Reply(faults: [.disconnectBeforeHeaders]), Reply(faults: [.disconnectBeforeHeaders]), .text("2"))
      _ = try await session.data(from: server.url())
      #expect(await session.failure(of: URLRequest("PUT", server.url()))?.code == .networkConnectionLost)
      #expect(server.requestCount == 3)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func safeRequestIsNotRepeatedWhereTheServerHasNeverAnswered(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(Reply(faults: [.disconnectBeforeHeaders]), .text("1"))
      #expect(await session.failure(of: server.url())?.code == .networkConnectionLost)
      #expect(server.requestCount == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func answerThatHasBegunIsNotRepeated(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("1"), Reply(body: .text("body"), faults: [.disconnectAfterHeaders]), .text("2"))
      _ = try await session.data(from: server.url())
      #expect(await session.failure(of: server.url())?.code == .networkConnectionLost)
      #expect(server.requestCount == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["GET", "POST"], Wire.allCases) func closedConnectionIsNotUsedAgain(_ method: String, _ wire: Wire) async throws {
    for isAnnounced in [true, false] {
      try await wire.serve { server, configuration async throws in
        let session = URLSession(configuration: configuration)
        server.enqueue(.text("1").with(.closeAfterReply(announce: isAnnounced)), .text("2"))
        _ = try await session.data(from: server.url())
        try await server.waitForConnections(open: 0)
        // The end travels by itself: the pool knows of it once it has closed its side.
        #expect(await ClosedPort.isLeft(server.port))
        let (text, _) = try await session.text(for: URLRequest(method, server.url()))
        #expect(text == "2")
        #expect(server.requests.map(\.connection.ordinal) == [1, 2])
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: Wire.http1) func unaskedSwitchOfProtocolsIsAnError(_ wire: Wire) async throws {
    let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    try await wire.serve(raw: [.readRequestHead, .send(switching), .readToEnd]) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(await session.failure(of: server.url())?.code == .badServerResponse)
      try await server.waitForConnections(open: 0)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["garbage", "H", "HTTP/1.1 200 OK\r\nX: ", "\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"], Wire.http1)
  func bytesThatNobodyAskedForEndTheConnection(_ unasked: String, _ wire: Wire) async throws {
    let gate = Gate()
    let good = RawStep.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
    try await wire.serve(raw: [.readRequestHead, good, .wait(gate), .send(unasked), .readToEnd], [.readRequestHead, good]) {
      server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url()).0 == "good")
      try await gate.reached()
      gate.open()
      try await server.waitForConnections(open: 0)
      #expect(try await session.text(from: server.url()).0 == "good")
      #expect(server.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  @Test func bytesBeyondTheContentLengthAreNotTheNextResponse() async throws {
    let first = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngoodHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    let second = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsafe"
    try await Wire.plain.serve(raw: [.readRequestHead, .send(first), .readToEnd], [.readRequestHead, .send(second)]) {
      server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url()).0 == "good")
      #expect(try await session.text(for: URLRequest("POST", server.url(), body: Data("x".utf8))).0 == "safe")
      session.invalidateAndCancel()
    }
  }

  @Test func refusedConnectionSaysSo() async throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    let session = URLSession(configuration: .testing())
    #expect(await session.failure(of: try #require(URL(string: "http://127.0.0.1:\(closed.number)/")))?.code == .cannotConnectToHost)
    session.invalidateAndCancel()
  }
}
