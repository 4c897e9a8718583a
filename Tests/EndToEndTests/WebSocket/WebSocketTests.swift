import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct WebSocketTests {
  @Test func messagesGoThereAndBack() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      try await bench.task.send(.string("hello, κόσμε"))
      #expect(try await bench.task.receive().text == "hello, κόσμε")
      let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
      try await bench.task.send(.data(bytes))
      #expect(try await bench.task.receive().data == bytes)
      #expect(bench.task.closeCode == .invalid)
      #expect((bench.task.response as? HTTPURLResponse)?.statusCode == 101)
      #expect(bench.service.frames.filter { !$0.isMasked }.isEmpty)
    }
  }

  @Test func nothingHappensBeforeResumeAndCallsWait() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      let sent = Signal()
      bench.task.send(.string("early")) { error in
        #expect(error == nil)
        sent.send()
      }
      async let answer = bench.task.receive()
      #expect(bench.server.acceptedConnections == 0)
      bench.task.resume()
      await sent.wait()
      #expect(try await answer.text == "early")
      await bench.recorder.opened()
      #expect(bench.recorder.events == [.opened(nil)])
    }
  }

  @Test func receiversAreServedInOrder() async throws {
    try await WebSocketBench.with(.script([.receive(1), .send(.text("1")), .send(.text("2")), .send(.text("3"))])) { bench async throws in
      let log = Mutex<[String]>([])
      let done = Signal()
      for _ in 0..<3 {
        bench.task.receive { result in
          log.withLock { $0.append((try? result.get())?.text ?? "?") }
          done.send()
        }
      }
      bench.task.resume()
      try await bench.task.send(.string("go"))
      for _ in 0..<3 { await done.wait() }
      #expect(log.withLock { $0 } == ["1", "2", "3"])
    }
  }

  @Test func fragmentsAreOneMessageWithPingsBetweenThem() async throws {
    let script: [WebSocketService.Step] = [
      .send(.text("a", isFinal: false)), .send(WebSocketService.Frame(.ping, Data("x".utf8))), .send(.continuation("b", isFinal: false)),
      .send(.continuation("c")),
    ]
    try await WebSocketBench.with(.script(script)) { bench async throws in
      bench.task.resume()
      #expect(try await bench.task.receive().text == "abc")
      let pong = try await bench.service.received(1)[0]
      #expect(pong.opcode == .pong && pong.text == "x")
    }
  }

  @Test func largeMessagesLeaveInFragments() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      let bytes = Data(repeating: 7, count: 1 << 20)
      try await bench.task.send(.data(bytes))
      #expect(try await bench.task.receive().data == bytes)
      #expect(bench.service.frames.map(\.opcode) == [.binary, .continuation, .continuation, .continuation])
    }
  }

  @Test func subprotocolsAreAskedForAndTold() async throws {
    try await WebSocketBench.with(.echo, headers: ["Sec-WebSocket-Protocol": "b"], protocols: ["a", "b"]) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      #expect(bench.recorder.events == [.opened("b")])
      #expect(bench.server.requests.first?.headers["Sec-WebSocket-Protocol"] == "a, b")
    }
  }

  @Test func requestsCarryTheirFieldsAndTheSessions() async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.httpAdditionalHeaders = ["X-Session": "1"]
    try await WebSocketBench.with(.echo, headers: ["Sec-WebSocket-Protocol": "own"], configuration: configuration) { bench async throws in
      var request = URLRequest(url: bench.server.url("/socket"))
      request.setValue("2", forHTTPHeaderField: "X-Request")
      request.setValue("own", forHTTPHeaderField: "Sec-WebSocket-Protocol")
      request.httpMethod = "POST"
      request.httpBody = Data("ignored".utf8)
      let task = bench.session.webSocketTask(with: request)
      task.resume()
      try await task.send(.string("x"))
      #expect(try await task.receive().text == "x")
      let seen = try #require(bench.server.requests.first)
      #expect(seen.method == "GET" && seen.bodyLength == 0)
      #expect(seen.headers["X-Session"] == "1" && seen.headers["X-Request"] == "2")
      #expect(seen.headers["Upgrade"] == "websocket" && seen.headers["Connection"] == "Upgrade")
      #expect(seen.headers["Sec-WebSocket-Version"] == "13")
      #expect(seen.headers["Sec-WebSocket-Protocol"] == "own")
      #expect(seen.headers["Content-Length"] == nil)
      await bench.recorder.opened()
      #expect(bench.recorder.events == [.opened("own")])
    }
  }

  @Test func overTLSToo() async throws {
    let authority = try TestCertificateAuthority()
    let options = TestServer.Options.https(try authority.issue())
    try await WebSocketBench.with(.echo, options: options, configuration: .testing(trusting: authority)) { bench async throws in
      #expect(bench.task.originalRequest?.url?.scheme == "wss")
      bench.task.resume()
      let bytes = Data(repeating: 9, count: 300_000)
      try await bench.task.send(.data(bytes))
      #expect(try await bench.task.receive().data == bytes)
      bench.task.cancel(with: .normalClosure, reason: nil)
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1000, nil), .completed(nil)])
    }
  }

  @Test func pongsAnswerTheirPingsInOrder() async throws {
    try await WebSocketBench.with(.script([.receive(2), .send(WebSocketService.Frame(.pong, Data("?".utf8))), .echo])) {
      bench async throws in
      let log = Mutex<[Int]>([])
      let done = Signal()
      for index in 0..<2 {
        bench.task.sendPing { error in
          #expect(error == nil)
          log.withLock { $0.append(index) }
          done.send()
        }
      }
      bench.task.resume()
      let pings = try await bench.service.received(2)
      #expect(pings.allSatisfy { $0.opcode == .ping })
      #expect(log.withLock { $0.isEmpty })
      bench.task.sendPing { error in
        #expect(error == nil)
        log.withLock { $0.append(2) }
        done.send()
      }
      // The pong for the last one answers those before it as well (RFC 6455, 5.5.3).
      for _ in 0..<3 { await done.wait() }
      #expect(log.withLock { $0 } == [0, 1, 2])
    }
  }

  @Test func compressionIsUsedWhereTheServerAgrees() async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.webSocketCompression = .offered
    let headers: HeaderList = ["Sec-WebSocket-Extensions": "permessage-deflate"]
    try await WebSocketBench.with(.echo, headers: headers, configuration: configuration) { bench async throws in
      bench.task.resume()
      let text = String(repeating: "all work and no play ", count: 1000)
      for _ in 0..<3 {
        try await bench.task.send(.string(text))
        #expect(try await bench.task.receive().text == text)
      }
      try await bench.task.send(.string("short"))
      #expect(try await bench.task.receive().text == "short")
      #expect(bench.service.frames.map(\.firstByte) == [0xC1, 0xC1, 0xC1, 0x81])
      #expect(bench.service.frames.allSatisfy { $0.payload.count < 500 })
    }
  }

  @Test func compressionIsNotAskedForUnlessTheAppSaysSo() async throws {
    #expect(URLSessionConfiguration.default.webSocketCompression == .none)
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      #expect(bench.server.requests.first?.headers["Sec-WebSocket-Extensions"] == nil)
    }
  }

  @Test func anAsyncSequenceYieldsTheMessagesAndEndsWithTheSocket() async throws {
    let script: [WebSocketService.Step] = [.send(.text("1")), .send(.text("2")), .send(.close(1000)), .receive(1), .disconnect]
    try await WebSocketBench.with(.script(script)) { bench async throws in
      bench.task.resume()
      var seen: [String?] = []
      for try await message in bench.task.messages { seen.append(message.text) }
      #expect(seen == ["1", "2"])
    }
  }

  @Test func cancellingWhoWaitsLeavesTheSocketOpen() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      let waiting = Task { try await bench.task.receive() }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      try await bench.task.send(.string("still here"))
      #expect(try await bench.task.receive().text == "still here")
    }
  }

  @Test func completionHandlersRunOnTheDelegateQueue() async throws {
    try await TestServer.with { server async throws in
      server.route("/socket", .GET, reply: .webSocket(WebSocketService(.echo)))
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let session = URLSession(configuration: .testing(), delegate: nil, delegateQueue: queue)
      let task = session.webSocketTask(with: server.webSocketURL("/socket"))
      task.resume()
      let places = Mutex<[Bool]>([])
      let done = Signal()
      let note: @Sendable () -> Void = {
        places.withLock { $0.append(OperationQueue.current === queue) }
        done.send()
      }
      task.send(.string("x")) { _ in note() }
      task.receive { _ in note() }
      task.sendPing { _ in note() }
      for _ in 0..<3 { await done.wait() }
      #expect(places.withLock { $0 } == [true, true, true])
      session.invalidateAndCancel()
    }
  }

  @Test func manySocketsOfOneHostAreOpenAtOnce() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      // More than may be on their way to a connection at once.
      let tasks = (0..<200).map { _ in bench.session.webSocketTask(with: bench.server.webSocketURL("/socket")) }
      for task in tasks { task.resume() }
      for (index, task) in tasks.enumerated() { try await task.send(.string("\(index)")) }
      for (index, task) in tasks.enumerated() { #expect(try await task.receive().text == "\(index)") }
      #expect(bench.service.connections.opened == 200)
    }
  }

  @Test func manyThreadsMayUseOneTask() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<100 {
          group.addTask {
            try await bench.task.send(.string("\(index)"))
            _ = try await bench.task.receive()
            return 1
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(count == 100)
      #expect(Set(bench.service.frames.map(\.text)).count == 100)
    }
  }
}
