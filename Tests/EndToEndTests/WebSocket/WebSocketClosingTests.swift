import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct WebSocketClosingTests {
  private func posixCode(_ body: () async throws -> Void) async -> Int? {
    do {
      try await body()
      return nil
    } catch {
      return (error as NSError).domain == NSPOSIXErrorDomain ? (error as NSError).code : nil
    }
  }

  @Test(arguments: [0, 1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1015, 1012, 4001, -1])
  func closeCodesAreNumbersOfWhichSomeHaveNames(number: Int) throws {
    typealias Code = URLSessionWebSocketTask.CloseCode
    #expect(Code(rawValue: number)?.rawValue == number)
    #expect(Code(rawValue: number) == .other(number))
    #expect(Code(rawValue: 1008) == .policyViolation)
  }

  @Test func theAppCloses() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      bench.task.cancel(with: .goingAway, reason: Data("done".utf8))
      #expect([.canceling, .completed].contains(bench.task.state))
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1001, "done"), .completed(nil)])
      #expect(bench.task.closeCode == .goingAway)
      #expect(bench.task.closeReason == Data("done".utf8))
      #expect(bench.task.state == .completed)
      #expect(await posixCode { try await bench.task.send(.string("late")) } == Int(ENOTCONN))
      #expect(await posixCode { _ = try await bench.task.receive() } == Int(ENOTCONN))
      let frame = try await bench.service.closeFrame()
      #expect(frame?.closeCode == 1001)
    }
  }

  @Test func whatWasSentBeforeClosingArrivesBeforeIt() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      for index in 0..<10 { bench.task.send(.string("\(index)")) { #expect($0 == nil) } }
      bench.task.cancel(with: .normalClosure, reason: nil)
      _ = await bench.recorder.completed()
      #expect(bench.service.frames.map(\.opcode) == Array(repeating: .text, count: 10) + [.close])
    }
  }

  @Test func theServerCloses() async throws {
    let script: [WebSocketService.Step] = [.send(.text("last")), .send(.close(4001, "enough")), .receive(1), .disconnect]
    try await WebSocketBench.with(.script(script)) { bench async throws in
      bench.task.resume()
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(4001, "enough"), .completed(nil)])
      #expect(bench.task.closeCode.rawValue == 4001)
      #expect(bench.service.frames.map(\.closeCode) == [4001])
      // What had come isn't lost.
      #expect(try await bench.task.receive().text == "last")
      #expect(await posixCode { _ = try await bench.task.receive() } == Int(ENOTCONN))
    }
  }

  @Test func aCloseFrameWithoutACodeIsAnsweredInKind() async throws {
    try await WebSocketBench.with(.script([.send(.close(nil)), .receive(1), .disconnect])) { bench async throws in
      bench.task.resume()
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1005, nil), .completed(nil)])
      #expect(bench.task.closeCode == .noStatusReceived)
      #expect(bench.service.frames.map(\.payload) == [Data()])
    }
  }

  @Test func whoWaitsWhenTheServerClosesIsTold() async throws {
    try await WebSocketBench.with(.script([.receive(1), .send(.close(1000)), .receive(1), .disconnect])) { bench async throws in
      bench.task.resume()
      let pinged = Signal()
      bench.task.sendPing { error in
        #expect((error as NSError?)?.code == Int(ENOTCONN))
        pinged.send()
      }
      #expect(await posixCode { _ = try await bench.task.receive() } == Int(ENOTCONN))
      await pinged.wait()
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1000, nil), .completed(nil)])
    }
  }

  @Test func plainCancelSaysGoodbye() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      async let pending = errorCode { _ = try await bench.task.receive() }
      bench.task.cancel()
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(NSURLErrorCancelled)])
      #expect(await pending == NSURLErrorCancelled)
      let frame = try await bench.service.closeFrame()
      #expect(frame?.payload == Data([0x03, 0xE9]))
      try await bench.service.ended()
    }
  }

  @Test func cancelBeforeTheHandshakeEndsTheTask() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.cancel(with: .normalClosure, reason: nil)
      #expect(await bench.recorder.completed() == [.completed(NSURLErrorCancelled)])
      #expect(bench.task.closeCode == .normalClosure)
      #expect(await errorCode { try await bench.task.send(.string("x")) } == NSURLErrorCancelled)
    }
  }

  @Test func closeBeforeTheStartIsOverIsNoted() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      // Within `resume()`, which has decided to start the task and hasn't begun to.
      let observation = bench.task.observe(\.state) { task, _ in
        if task.state == .running { task.cancel(with: .goingAway, reason: Data("early".utf8)) }
      }
      bench.task.resume()
      #expect(bench.task.closeCode == .goingAway)
      #expect(bench.task.closeReason == Data("early".utf8))
      #expect(await bench.recorder.completed() == [.completed(NSURLErrorCancelled)])
      #expect(bench.task.closeCode == .goingAway)
      observation.invalidate()
    }
  }

  @Test func aServerThatDoesNotAnswerTheCloseFrameIsLeft() async throws {
    let clock = ManualClock()
    try await WebSocketBench.with(.script([.receive(100)]), configuration: .testing(clock: clock)) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      bench.task.cancel(with: .normalClosure, reason: nil)
      _ = try await bench.service.closeFrame()
      try await clock.waitForWake(within: 5)
      clock.advance(by: 4.9)
      #expect(bench.task.state == .canceling)
      clock.advance(by: 0.2)
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(NSURLErrorCancelled)])
      try await bench.service.ended()
    }
  }

  @Test func aServerWhoseMessagesAreStillReceivedHasMoreTimeToClose() async throws {
    let (clock, second, last) = (ManualClock(), Gate(), Gate())
    let script: [WebSocketService.Step] = [
      .receive(1), .send(.text("1")), .wait(second), .send(.text("2")), .wait(last), .send(.close(1000)), .disconnect,
    ]
    try await WebSocketBench.with(.script(script), configuration: .testing(clock: clock)) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      bench.task.cancel(with: .normalClosure, reason: nil)
      #expect(try await bench.task.receive().text == "1")
      try await clock.waitForWake(within: 5)
      clock.advance(by: 5)
      try await clock.waitForWake(within: 5)
      second.open()
      #expect(try await bench.task.receive().text == "2")
      clock.advance(by: 5)
      try await clock.waitForWake(within: 5)
      last.open()
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1000, nil), .completed(nil)])
    }
  }

  @Test func aServerThatKeepsTheConnectionAfterClosingIsLeft() async throws {
    let clock = ManualClock()
    try await WebSocketBench.with(.script([.send(.close(1000))]), configuration: .testing(clock: clock)) { bench async throws in
      bench.task.resume()
      _ = try await bench.service.closeFrame()
      try await clock.waitForWake(within: 2)
      clock.advance(by: 2)
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1000, nil), .completed(nil)])
      try await bench.service.ended()
    }
  }

  @Test func aServerThatVanishesIsAnError() async throws {
    try await WebSocketBench.with(.script([.send(.text("x")), .disconnect])) { bench async throws in
      bench.task.resume()
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(NSURLErrorNetworkConnectionLost)])
      #expect(bench.task.closeCode == .abnormalClosure)
      #expect(try await bench.task.receive().text == "x")
      #expect(await errorCode { _ = try await bench.task.receive() } == NSURLErrorNetworkConnectionLost)
    }
  }

  @Test func aResetIsAnError() async throws {
    try await WebSocketBench.with(.script([.receive(1), .reset])) { bench async throws in
      bench.task.resume()
      try await bench.task.send(.string("x"))
      #expect(await errorCode { _ = try await bench.task.receive() } == NSURLErrorNetworkConnectionLost)
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(NSURLErrorNetworkConnectionLost)])
    }
  }

  @Test(arguments: [
    (WebSocketService.Frame(firstByte: 0x83), 1002), (WebSocketService.Frame(firstByte: 0x91), 1002),
    (WebSocketService.Frame(firstByte: 0x80), 1002),
    (WebSocketService.Frame(firstByte: 0x81, payload: Data([0xFF])), 1007), (WebSocketService.Frame(firstByte: 0x81, isMasked: true), 1002),
    (WebSocketService.Frame(firstByte: 0x88, payload: Data([0x03])), 1002), (WebSocketService.Frame(firstByte: 0xC1), 1002),
  ])
  func illegalFramesCloseWithTheRightCode(frame: WebSocketService.Frame, code: Int) async throws {
    try await WebSocketBench.with(.script([.send(.text("fine")), .send(frame), .receive(1), .disconnect])) { bench async throws in
      bench.task.resume()
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(NSURLErrorBadServerResponse)])
      #expect(bench.service.frames.map(\.closeCode) == [UInt16(code)])
      #expect(bench.task.closeCode.rawValue == code)
      #expect(try await bench.task.receive().text == "fine")
      #expect(await errorCode { _ = try await bench.task.receive() } == NSURLErrorBadServerResponse)
    }
  }

  @Test func answersLeaveBeforeWhatBrokeTheRulesBehindTheirMessagesCounts() async throws {
    let script: [WebSocketService.Step] = [
      .send(.text("1")), .send(.text("2")), .send(WebSocketService.Frame(firstByte: 0x83)), .receive(3), .disconnect,
    ]
    // The app has all the time it needs.
    try await WebSocketBench.with(.script(script), configuration: .testing(clock: ManualClock())) { bench async throws in
      bench.task.resume()
      #expect(await errorCode { for try await message in bench.task.messages { try await bench.task.send(message) } } == -1011)
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(NSURLErrorBadServerResponse)])
      #expect(bench.service.frames.map(\.opcode) == [.text, .text, .close])
      #expect(bench.service.frames.last?.closeCode == 1002)
    }
  }

  @Test func messagesOverTheMaximumEndTheTask() async throws {
    let script: [WebSocketService.Step] = [
      .send(.text("1234", isFinal: false)), .send(.continuation("5678")), .receive(1), .send(.text("12345", isFinal: false)),
      .send(.continuation("6789")), .receive(1), .disconnect,
    ]
    try await WebSocketBench.with(.script(script)) { bench async throws in
      #expect(bench.task.maximumMessageSize == 1_048_576)
      bench.task.maximumMessageSize = 8
      bench.task.resume()
      #expect(try await bench.task.receive().text == "12345678")
      try await bench.task.send(.string("more"))
      #expect(await posixCode { _ = try await bench.task.receive() } == Int(EMSGSIZE))
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(domain: NSPOSIXErrorDomain, code: Int(EMSGSIZE))])
      #expect(bench.service.frames.last?.closeCode == 1009)
      #expect(bench.task.closeCode == .messageTooBig)
    }
  }

  @Test func invalidatingTheSessionEndsItsSockets() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      bench.session.invalidateAndCancel()
      #expect(await bench.recorder.completed() == [.opened(nil), .completed(NSURLErrorCancelled)])
      #expect(await errorCode { try await bench.session.webSocketTask(with: bench.server.webSocketURL("/socket")).opened() } == -999)
    }
  }

  @Test func tasksAreLetGoOfAfterTheirEnd() async throws {
    let leaks = LeakCheck()
    try await WebSocketBench.with(.echo) { bench async throws in
      let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/socket"))
      leaks.track(task)
      task.resume()
      try await task.send(.string("x"))
      _ = try await task.receive()
      task.cancel(with: .normalClosure, reason: nil)
      _ = await bench.recorder.completed()
    }
    try await leaks.verify()
  }
}

extension URLSessionWebSocketTask {
  /// Resumes, and throws what the task ends with before a message comes.
  fileprivate func opened() async throws {
    resume()
    _ = try await receive()
  }
}
