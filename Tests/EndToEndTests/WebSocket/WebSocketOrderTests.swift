import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The end of a WebSocket is told behind the messages that came before it.
@Suite(.timeLimit(.minutes(30))) struct WebSocketOrderTests {
  private static let messages = ["1", "2", "3", "4", "5"]

  /// All messages and the close frame in one piece; the server closes when it has the answer.
  private static let script: [WebSocketService.Step] = {
    let frames = messages.map { WebSocketService.Frame.text($0) } + [.close(1000)]
    return [.sendBytes(frames.reduce(Data()) { $0 + $1.bytes }), .receive(1), .disconnect]
  }()

  /// Runs `body` with a server, over a clock that doesn't advance: nothing is told because of time.
  private func bench(
    _ wire: Wire, _ script: [WebSocketService.Step] = WebSocketOrderTests.script, _ body: (WebSocketBench, ManualClock) async throws -> Void
  ) async throws {
    var options = try wire.options()
    options.allowsExtendedConnect = wire.isMultiplexed
    let clock = ManualClock()
    try await WebSocketBench.with(.script(script), options: options, configuration: try wire.configuration(clock: clock)) {
      bench async throws in
      bench.server.route("/", reply: .text("ok"))
      // Over HTTP/2 a WebSocket takes a connection that is there.
      if wire.isMultiplexed { #expect(try await bench.session.text(from: bench.server.url()).0 == "ok") }
      try await body(bench, clock)
    }
  }

  @Test(arguments: [(Wire.plain, 1000), (.h2, 250)])
  func messagesBeforeTheCloseReachHandlersBeforeIt(_ wire: Wire, _ count: Int) async throws {
    try await bench(wire) { bench, _ async throws in
      for _ in 0..<count {
        let log = EndLog(asksWhenOpen: true)
        let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/socket"))
        task.delegate = log
        task.resume()
        try #require(await log.completed() == WebSocketOrderTests.messages + ["closed", "completed"])
      }
    }
  }

  @Test(arguments: [(Wire.plain, 1000), (.h2, 250)])
  func messagesBeforeTheCloseReachSwiftTasksBeforeIt(_ wire: Wire, _ count: Int) async throws {
    try await bench(wire) { bench, _ async throws in
      for _ in 0..<count {
        let log = EndLog()
        let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/socket"))
        task.delegate = log
        task.resume()
        for try await message in task.messages { log.note(message.text ?? "") }
        try #require(await log.completed() == WebSocketOrderTests.messages + ["closed", "completed"])
      }
    }
  }

  @Test func messagesBeforeABrokenConnectionAreReadBeforeItsError() async throws {
    try await bench(.plain, [.send(.text("1")), .send(.text("2")), .disconnect]) { bench, _ async throws in
      let log = EndLog(asksWhenOpen: true)
      bench.task.delegate = log
      bench.task.resume()
      #expect(await log.completed() == ["1", "2", "completed"])
      #expect(bench.task.closeCode == .abnormalClosure)
    }
  }

  @Test func appThatNeverAsksLearnsOfTheCloseSoon() async throws {
    try await bench(.plain) { bench, clock async throws in
      bench.task.resume()
      _ = try await bench.service.closeFrame()
      try await clock.waitForWake(within: 0.5)
      #expect(bench.task.closeCode == .invalid)
      clock.advance(by: 0.5)
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1000, nil), .completed(nil)])
      // Nothing is lost.
      for message in WebSocketOrderTests.messages { #expect(try await bench.task.receive().text == message) }
    }
  }

  @Test func appThatStopsAskingLearnsOfTheCloseFiveSecondsLater() async throws {
    try await bench(.plain) { bench, clock async throws in
      bench.task.resume()
      #expect(try await bench.task.receive().text == "1")
      _ = try await bench.service.closeFrame()
      try await clock.waitForWake(within: 5)
      clock.advance(by: 4.9)
      await bench.session.flush()
      #expect(bench.task.closeCode == .invalid)
      clock.advance(by: 0.2)
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1000, nil), .completed(nil)])
      #expect(try await bench.task.receive().text == "2")
    }
  }

  @Test func cancellingEndsTheWaitForTheApp() async throws {
    try await bench(.plain) { bench, clock async throws in
      bench.task.resume()
      _ = try await bench.service.closeFrame()
      try await clock.waitForWake(within: 0.5)
      bench.task.cancel()
      #expect(await bench.recorder.completed().dropFirst().first == .closed(1000, nil))
    }
  }
}

/// What a task tells, in order; receives by completion handlers if asked to.
private final class EndLog: NSObject, URLSessionWebSocketDelegate, Sendable {
  private let events = Mutex<[String]>([])
  private let completion = Signal()
  private let asksWhenOpen: Bool

  init(asksWhenOpen: Bool = false) { self.asksWhenOpen = asksWhenOpen }

  func note(_ event: String) { events.withLock { $0.append(event) } }

  func completed() async -> [String] {
    await completion.wait()
    return events.withLock { $0 }
  }

  private func ask(_ task: URLSessionWebSocketTask) {
    task.receive { [self] result in
      guard let message = try? result.get() else { return }
      note(message.text ?? "")
      ask(task)
    }
  }

  func urlSession(_ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?) {
    if asksWhenOpen { ask(webSocketTask) }
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    note("closed")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note("completed")
    completion.send()
  }
}
