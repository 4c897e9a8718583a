import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// WebSockets as streams of HTTP/2 (RFC 8441).
@Suite(.timeLimit(.minutes(10))) struct WebSocketTunnelTests {
  /// Runs `body` with a task that isn't resumed, at a server to which the session has an HTTP/2 connection.
  private func bench(
    _ conduct: WebSocketService.Conduct = .echo, headers: HeaderList = [:], protocols: [String] = [],
    adjust: (inout TestServer.Options) -> Void = { _ in }, _ body: (WebSocketBench) async throws -> Void
  ) async throws {
    var options = try Wire.h2.options()
    options.allowsExtendedConnect = true
    adjust(&options)
    let configuration = try Wire.h2.configuration()
    try await WebSocketBench.with(
      conduct, headers: headers, options: options, configuration: configuration, protocols: protocols
    ) { bench async throws in
      bench.server.route("/", reply: .text("ok"))
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
      try await body(bench)
    }
  }

  @Test func connectionThatIsThereCarriesThem() async throws {
    try await bench(headers: ["Sec-WebSocket-Protocol": "b"], protocols: ["a", "b"]) { bench async throws in
      bench.task.resume()
      try await bench.task.send(.string("hello, κόσμε"))
      #expect(try await bench.task.receive().text == "hello, κόσμε")
      let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
      try await bench.task.send(.data(bytes))
      let isSame = try await bench.task.receive().data == bytes
      #expect(isSame)
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
      #expect(bench.server.acceptedConnections == 1)
      let request = try #require(bench.server.requests.first { $0.method == "CONNECT" })
      #expect(request.path == "/socket" && request.version == "HTTP/2")
      #expect(request.headers["Host"] == "127.0.0.1:\(bench.server.port)")
      #expect(request.headers["Sec-WebSocket-Version"] == "13" && !request.headers.contains(name: "Sec-WebSocket-Key"))
      #expect((bench.task.response as? HTTPURLResponse)?.statusCode == 200)
      bench.task.cancel(with: .normalClosure, reason: Data("done".utf8))
      #expect(await bench.recorder.completed() == [.opened("b"), .closed(1000, "done"), .completed(nil)])
      try await bench.service.ended()
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
      #expect(bench.server.acceptedConnections == 1)
    }
  }

  @Test func withoutOneTheyBeginInHTTP1() async throws {
    var options = try Wire.h2.options()
    options.allowsExtendedConnect = true
    try await WebSocketBench.with(.echo, options: options, configuration: try Wire.h2.configuration()) { bench async throws in
      bench.task.resume()
      try await bench.task.send(.string("x"))
      #expect(try await bench.task.receive().text == "x")
      #expect(bench.server.requests.map(\.version) == ["HTTP/1.1"])
    }
  }

  @Test func serverThatDoesNotOfferThemIsNotAsked() async throws {
    try await bench(adjust: { $0.allowsExtendedConnect = false }) { bench async throws in
      bench.task.resume()
      try await bench.task.send(.string("x"))
      #expect(try await bench.task.receive().text == "x")
      #expect(bench.server.requests.map(\.version) == ["HTTP/2", "HTTP/1.1"])
    }
  }

  @Test(arguments: [Reply(501), Reply(405)] + [1, 2, 7, 13].map { Reply(200).with(.resetStream(code: $0)) })
  func serverThatRefusesIsAskedInHTTP1(_ refusal: Reply) async throws {
    try await bench { bench async throws in
      let service = WebSocketService(.echo)
      bench.server.route("/fickle") { $0.method == "CONNECT" ? refusal : .webSocket(service) }
      for _ in 0..<2 {
        let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/fickle"))
        task.resume()
        try await task.send(.string("x"))
        #expect(try await task.receive().text == "x")
      }
      #expect(bench.server.requests.map(\.version) == ["HTTP/2", "HTTP/2", "HTTP/1.1", "HTTP/1.1"])
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
    }
  }

  @Test(arguments: [403, 404, 500]) func otherAnswersStand(_ status: Int) async throws {
    try await bench { bench async throws in
      bench.server.route("/page", reply: Reply(status, body: .text("no")))
      let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/page"))
      task.resume()
      #expect(await errorCode { _ = try await task.receive() } == NSURLErrorBadServerResponse)
      #expect((task.response as? HTTPURLResponse)?.statusCode == status)
      #expect(bench.server.requestCount == 2)
    }
  }

  @Test func redirectsAndLoginsAreThoseOfAnyLoad() async throws {
    try await bench { bench async throws in
      bench.server.route("/old", reply: .redirect(to: "/locked"))
      let service = WebSocketService(.echo)
      bench.server.route("/locked") { request in
        guard request.headers["Authorization"] != nil else { return Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]) }
        return .webSocket(service)
      }
      let url = bench.server.webSocketURL("/old").absoluteString.replacing("wss://", with: "wss://user:secret@")
      let task = bench.session.webSocketTask(with: try #require(URL(string: url)))
      task.resume()
      try await task.send(.string("x"))
      #expect(try await task.receive().text == "x")
      #expect(bench.server.acceptedConnections == 1)
    }
  }

  @Test func peersCloseFrameEndsIt() async throws {
    let script: [WebSocketService.Step] = [.send(WebSocketService.Frame(.close, Data([0x0F, 0xA1]))), .disconnect]
    try await bench(.script(script)) { bench async throws in
      bench.task.resume()
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(4001, nil), .completed(nil)])
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
      #expect(bench.server.acceptedConnections == 1)
    }
  }

  @Test func streamThatEndsWithoutACloseFrameIsALostConnection() async throws {
    try await bench(.script([.receive(1), .disconnect])) { bench async throws in
      bench.task.resume()
      try await bench.task.send(.string("x"))
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(NSURLErrorNetworkConnectionLost)])
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
    }
  }

  @Test func cancelledOneLeavesTheOthersAlone() async throws {
    try await bench { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      let other = bench.session.webSocketTask(with: bench.server.webSocketURL("/socket"))
      other.resume()
      try await other.send(.string("1"))
      bench.task.cancel()
      #expect(await bench.recorder.completed().last == .completed(NSURLErrorCancelled))
      #expect(try await bench.service.closeFrame()?.closeCode == 1001)
      try await bench.service.ended()
      #expect(try await other.receive().text == "1")
      try await other.send(.string("2"))
      #expect(try await other.receive().text == "2")
      #expect(bench.server.acceptedConnections == 1)
    }
  }

  @Test func leavingServerLetsThemGoOn() async throws {
    try await bench { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      bench.server.route("/bye", reply: .text("bye").with(.goAway(isProcessed: true)))
      #expect(try await bench.session.text(from: bench.server.url("/bye")).0 == "bye")
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
      #expect(bench.server.acceptedConnections == 2)
      try await bench.task.send(.string("still there"))
      #expect(try await bench.task.receive().text == "still there")
    }
  }

  @Test func loadsKeepHalfOfTheStreams() async throws {
    try await bench(adjust: { $0.maximumConcurrentStreams = 4 }) { bench async throws in
      var tasks: [URLSessionWebSocketTask] = []
      for number in 0..<4 {
        let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/socket"))
        task.resume()
        try await task.send(.string("\(number)"))
        #expect(try await task.receive().text == "\(number)")
        tasks.append(task)
      }
      #expect(bench.server.requests.map(\.version) == ["HTTP/2", "HTTP/2", "HTTP/2", "HTTP/1.1", "HTTP/1.1"])
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
    }
  }

  // MARK: back-pressure

  @Test func whoDoesNotReceiveMakesThePeerWaitAndNobodyElse() async throws {
    let piece = Data(repeating: 1, count: 64 * 1024)
    let script = Array(repeating: WebSocketService.Step.send(.binary(piece)), count: 256) + [.send(.text("end"))]
    try await bench(.script(script)) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      try await settle(bench.server)
      // Of 16 MiB on offer: two windows of 256 KiB, and what the server has in hand.
      #expect(bench.server.sentBytes < 4 << 20)
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
      for _ in 0..<256 { #expect(try await bench.task.receive().data?.count == piece.count) }
      #expect(try await bench.task.receive().text == "end")
    }
  }

  @Test func peerThatDoesNotReadMakesSendWait() async throws {
    let gate = Gate()
    try await bench(.script([.wait(gate), .echo])) { bench async throws in
      bench.task.resume()
      let piece = Data(repeating: 2, count: 256 * 1024)
      let sent = Mutex(0)
      let sending = Task {
        for _ in 0..<64 {
          try await bench.task.send(.data(piece))
          sent.withLock { $0 += 1 }
        }
      }
      try await gate.reached()
      try await settle(bench.server)
      #expect(sent.withLock { $0 } < 8)
      #expect(try await bench.session.text(from: bench.server.url()).0 == "ok")
      gate.open()
      for _ in 0..<64 { #expect(try await bench.task.receive().data?.count == piece.count) }
      try await sending.value
    }
  }
}
