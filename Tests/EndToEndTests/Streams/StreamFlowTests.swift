import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Time, suspension and back-pressure of stream tasks.
@Suite(.timeLimit(.minutes(10))) struct StreamFlowTests {
  private static let timedOut = URLError.timedOut.rawValue

  private func serve(_ steps: [RawStep], _ body: (StreamBench, ManualClock) async throws -> Void) async throws {
    let clock = ManualClock()
    let configuration = URLSessionConfiguration.testing(clock: clock)
    configuration.timeoutIntervalForRequest = 10
    try await StreamBench.with(
      steps,
      {
        $0.sendBufferSize = 64 * 1024; $0.receiveBufferSize = 64 * 1024
      }, configuration: configuration
    ) {
      bench async throws in
      try await body(bench, clock)
    }
  }

  // MARK: time

  @Test func aReadThatTimesOutLeavesTheTaskAndTheBytes() async throws {
    let gate = Gate()
    try await serve([.read(count: 1), .send("ab"), .wait(gate), .send("cd"), .wait(gate)]) { bench, clock async throws in
      bench.task.resume()
      try await bench.task.send("x")
      try await gate.reached()
      let read = Task { await errorCode { _ = try await bench.task.readData(ofMinLength: 4, maxLength: 4, timeout: 5) } }
      try await clock.waitForWake(within: 5)
      clock.advance(by: 4.9)
      await bench.session.barrier()
      clock.advance(by: 0.1)
      #expect(await read.value == Self.timedOut)
      gate.open()
      #expect(try await bench.task.text(atLeast: 4, atMost: 4) == "abcd")
      #expect(bench.task.state == .running)
    }
  }

  @Test func theTimeOfReadsThatWaitInLineRunsTogether() async throws {
    try await serve([.read(until: "never")]) { bench, clock async throws in
      bench.task.resume()
      try await bench.task.send("x")
      let log = CallLog()
      for seconds in [7.0, 3.0, 5.0] {
        bench.task.readData(ofMinLength: 1, maxLength: 1, timeout: seconds) { _, _, error in
          log.add("\(seconds) \((error as? URLError)?.code == .timedOut)")
        }
      }
      await bench.session.barrier()
      for (step, call) in [(3.0, "3.0 true"), (2, "5.0 true"), (2, "7.0 true")] {
        clock.advance(by: step)
        #expect(await log.calls(1).last == call)
      }
      #expect(log.calls.count == 3)
    }
  }

  @Test func aWriteThatTimesOutBeforeItBeganIsNotSent() async throws {
    let gate = Gate()
    try await serve([.wait(gate), .readToEnd]) { bench, clock async throws in
      bench.task.resume()
      let large = Data(repeating: 1, count: 32 << 20)
      let (first, second) = (CallLog(), CallLog())
      bench.task.write(large, timeout: 5) { first.add("\(($0 as? URLError)?.code == .timedOut)") }
      bench.task.write(Data("never".utf8), timeout: 5) { second.add("\(($0 as? URLError)?.code == .timedOut)") }
      try await gate.reached()
      // The server may see the connection before the task does; the writes' time counts from when the task does.
      try await clock.waitForWake(within: 5)
      // And the second write has come as well.
      await bench.session.barrier()
      clock.advance(by: 5)
      #expect(await first.calls(1) == ["true"])
      #expect(await second.calls(1) == ["true"])
      bench.task.write(Data("end".utf8), timeout: 0) { _ in }
      bench.task.closeWrite()
      gate.open()
      _ = await bench.task.textIgnoringErrors()
      try await bench.server.waitForConnections(open: 0)
      // What had begun was sent to its end.
      #expect(bench.task.countOfBytesSent == large.count + 3)
    }
  }

  @Test func aConnectionThatIsntAcceptedInTimeFailsTheTask() async throws {
    let clock = ManualClock()
    let configuration = URLSessionConfiguration.testing(clock: clock)
    configuration.timeoutIntervalForRequest = 10
    configuration.connectionProxyDictionary = nil
    try await StreamBench.with([.read(until: "never")], configuration: configuration) { bench async throws in
      // A proxy that never opens its tunnel.
      configuration.useSOCKS(bench.server.port)
      let recorder = StreamRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.streamTask(withHostName: "server.test", port: 25)
      let read = Task { await errorCode { _ = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 1) } }
      task.resume()
      _ = try await bench.server.waitForBytes(3)
      await session.barrier()
      // A read's time counts from when the connection is there.
      clock.advance(by: 9.9)
      await session.barrier()
      #expect(task.state == .running)
      clock.advance(by: 0.1)
      #expect(await read.value == Self.timedOut)
      #expect(await recorder.completed() == [.completed(Self.timedOut)])
      session.invalidateAndCancel()
    }
  }

  @Test func anOpenStreamMayBeSilentUpToTheResourcesTime() async throws {
    let clock = ManualClock()
    let configuration = URLSessionConfiguration.testing(clock: clock)
    configuration.timeoutIntervalForRequest = 10
    configuration.timeoutIntervalForResource = 100
    try await StreamBench.with([.echo], configuration: configuration) { bench async throws in
      bench.task.resume()
      try await bench.task.send("a")
      #expect(try await bench.task.text() == "a")
      clock.advance(by: 99)
      await bench.session.barrier()
      try await bench.task.send("b")
      #expect(try await bench.task.text() == "b")
      let read = Task { await errorCode { _ = try await bench.task.text() } }
      clock.advance(by: 1)
      #expect(await read.value == Self.timedOut)
    }
  }

  // MARK: suspension

  @Test func aSuspendedTaskNeitherSendsNorReadsAndItsTimeStandsStill() async throws {
    try await serve([.echo]) { bench, clock async throws in
      bench.task.resume()
      try await bench.task.send("1")
      #expect(try await bench.task.text() == "1")
      bench.task.suspend()
      let log = CallLog()
      bench.task.write(Data("2".utf8), timeout: 5) { _ in log.add("written") }
      bench.task.readData(ofMinLength: 1, maxLength: 1, timeout: 5) { data, _, _ in
        log.add(String(decoding: data ?? Data(), as: UTF8.self))
      }
      await bench.session.barrier()
      clock.advance(by: 60)
      await bench.session.barrier()
      #expect(log.calls.isEmpty)
      #expect(bench.server.received() == Data("1".utf8))
      bench.task.resume()
      #expect(await log.calls(2) == ["written", "2"])
    }
  }

  // MARK: back-pressure

  private static let size = 64 << 20

  @Test func whoDoesNotReadMakesTheServerWait() async throws {
    try await serve([.sendRepeating(7, count: Self.size), .close]) { bench, _ async throws in
      bench.task.resume()
      try await bench.session.quiet(bench.server)
      #expect(bench.server.sentBytes < 16 << 20)
      var count = 0
      while true {
        let (data, isLast) = try await bench.task.readData(ofMinLength: 1, maxLength: 1 << 20, timeout: 0)
        count += data?.count ?? 0
        if isLast { break }
      }
      #expect(count == Self.size)
    }
  }

  @Test func aServerThatDoesNotReadMakesWritesWait() async throws {
    let gate = Gate()
    try await serve([.wait(gate), .readToEnd, .close]) { bench, _ async throws in
      bench.task.resume()
      let piece = Data(repeating: 1, count: 1 << 20)
      let (task, total) = (bench.task, Self.size)
      let written = Mutex(0)
      let writing = Task {
        for _ in 0..<(total / piece.count) {
          try await task.write(piece, timeout: 0)
          written.withLock { $0 += 1 }
        }
      }
      try await gate.reached()
      try await bench.session.quiet(bench.server, watching: { written.withLock { $0 } })
      #expect(written.withLock { $0 } < 16)
      gate.open()
      try await writing.value
      bench.task.closeWrite()
      #expect(await bench.task.textIgnoringErrors() == "")
      #expect(bench.task.countOfBytesSent == Self.size)
    }
  }

  @Test func aReadMayAskForMoreThanIsReadAhead() async throws {
    try await serve([.sendRepeating(7, count: 4 << 20), .close]) { bench, _ async throws in
      bench.task.resume()
      let (data, _) = try await bench.task.readData(ofMinLength: 4 << 20, maxLength: 8 << 20, timeout: 0)
      #expect(data?.count == 4 << 20)
    }
  }
}

extension URLSession {
  /// Returns when the figure that is watched, by default what the server has sent, has stopped to grow.
  func quiet(_ server: TestServer, watching figure: (@Sendable () -> Int)? = nil) async throws {
    let figure = figure ?? { server.sentBytes }
    var (quiet, rounds) = (0, 0)
    while quiet < 300, rounds < 20_000 {
      let before = figure()
      await barrier()
      quiet = figure() == before ? quiet + 1 : 0
      rounds += 1
    }
  }
}

extension URLSessionStreamTask {
  /// What comes up to the end, or until the stream breaks.
  func textIgnoringErrors() async -> String? { try? await textToEnd() }
}
