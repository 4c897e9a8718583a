import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct WebSocketBackPressureTests {
  private static func small(_ options: TestServer.Options = .http) -> TestServer.Options {
    var options = options
    options.sendBufferSize = 64 * 1024
    options.receiveBufferSize = 64 * 1024
    return options
  }

  @Test func whoDoesNotReceiveMakesThePeerWait() async throws {
    let piece = Data(repeating: 1, count: 64 * 1024)
    let script = Array(repeating: WebSocketService.Step.send(.binary(piece)), count: 512) + [.send(.text("end"))]
    try await WebSocketBench.with(.script(script), options: Self.small()) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      try await settle(bench.server)
      // Of 32 MiB on offer, what the sockets hold has been taken.
      #expect(bench.server.sentBytes < 16 << 20)
      for _ in 0..<512 { #expect(try await bench.task.receive().data?.count == piece.count) }
      #expect(try await bench.task.receive().text == "end")
    }
  }

  @Test func aPeerThatDoesNotReadMakesSendWait() async throws {
    let gate = Gate()
    try await WebSocketBench.with(.script([.wait(gate), .echo]), options: Self.small()) { bench async throws in
      bench.task.resume()
      let piece = Data(repeating: 2, count: 256 * 1024)
      let sent = Mutex(0)
      let sending = Task {
        for _ in 0..<128 {
          try await bench.task.send(.data(piece))
          sent.withLock { $0 += 1 }
        }
      }
      try await gate.reached()
      try await settle(bench.server)
      // Of 32 MiB to be sent, what the sockets hold has been.
      #expect(sent.withLock { $0 } < 64)
      gate.open()
      for _ in 0..<128 { #expect(try await bench.task.receive().data?.count == piece.count) }
      try await sending.value
    }
  }

  @Test func aSuspendedTaskSendsAndReadsNothing() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.resume()
      try await bench.task.send(.string("1"))
      #expect(try await bench.task.receive().text == "1")
      bench.task.suspend()
      let sent = Mutex(false)
      bench.task.send(.string("2")) { _ in sent.withLock { $0 = true } }
      try await settle(bench.server)
      #expect(bench.service.frames.count == 1)
      #expect(!sent.withLock { $0 })
      bench.task.resume()
      #expect(try await bench.task.receive().text == "2")
    }
  }

  @Test func whoClosesNeedNotReceiveWhatWaits() async throws {
    let piece = Data(repeating: 1, count: 64 * 1024)
    // The server leaves it to the client to end the connection: it would lose what it hasn't sent.
    let steps: [WebSocketService.Step] = [.receive(1), .send(.close(1000)), .receive(100)]
    let script = Array(repeating: WebSocketService.Step.send(.binary(piece)), count: 100) + steps
    let clock = ManualClock()
    try await WebSocketBench.with(.script(script), configuration: .testing(clock: clock)) { bench async throws in
      bench.task.resume()
      await bench.recorder.opened()
      bench.task.cancel(with: .normalClosure, reason: nil)
      try await clock.waitForWake(within: 2)
      clock.advance(by: 2)
      let events = await bench.recorder.completed()
      #expect(events == [.opened(nil), .closed(1000, nil), .completed(nil)])
    }
  }
}
