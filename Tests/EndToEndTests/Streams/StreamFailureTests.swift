import ChildProcesses
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Stream tasks that fail or are cancelled.
@Suite(.timeLimit(.minutes(10))) struct StreamFailureTests {
  @Test func aResetFailsWhatWaits() async throws {
    let gate = Gate()
    try await StreamBench.with([.send("x"), .wait(gate), .reset]) { bench async throws in
      bench.task.resume()
      #expect(try await bench.task.text() == "x")
      let reads = (0..<2).map { _ in Task { await errorCode { _ = try await bench.task.text() } } }
      try await gate.reached()
      await bench.session.barrier()
      gate.open()
      for read in reads { #expect(await read.value == URLError.networkConnectionLost.rawValue) }
      #expect(await bench.recorder.completed() == [.completed(URLError.networkConnectionLost.rawValue)])
    }
  }

  @Test func nobodyListening() async throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    let recorder = StreamRecorder()
    let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
    let task = session.streamTask(withHostName: "127.0.0.1", port: closed.number)
    task.resume()
    #expect(await errorCode { _ = try await task.text() } == URLError.cannotConnectToHost.rawValue)
    #expect(await recorder.completed() == [.completed(URLError.cannotConnectToHost.rawValue)])
    session.invalidateAndCancel()
  }

  @Test(arguments: [("127.0.0.1", 0), ("127.0.0.1", 70_000), ("127.0.0.1", -1), ("", 80), ("a b", 80), ("a/b", 80), ("u@h", 80)])
  func whatIsNoAddressFailsTheTask(_ host: String, _ port: Int) async throws {
    let recorder = StreamRecorder()
    let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
    let task = session.streamTask(withHostName: host, port: port)
    task.resume()
    #expect(await errorCode { try await task.send("x") } == URLError.badURL.rawValue)
    #expect(await recorder.completed() == [.completed(URLError.badURL.rawValue)])
    session.invalidateAndCancel()
  }

  @Test func cancellingFailsWhatWaitsAndEndsTheTaskOnce() async throws {
    try await StreamBench.with([.read(until: "never")]) { bench async throws in
      bench.task.resume()
      let read = Task { await errorCode { _ = try await bench.task.text() } }
      try await bench.task.send("x")
      bench.task.cancel()
      bench.task.cancel()
      #expect(await read.value == URLError.cancelled.rawValue)
      #expect(await bench.recorder.completed() == [.completed(URLError.cancelled.rawValue)])
      #expect(await errorCode { _ = try await bench.task.text() } == URLError.cancelled.rawValue)
      try await bench.server.waitForConnections(open: 0)
    }
  }

  @Test func cancellingAtAnyMomentEndsEachTaskOnce() async throws {
    try await StreamBench.with([.echo]) { bench async throws in
      for turns in 0..<60 {
        let recorder = StreamRecorder()
        let task = bench.session.streamTask(withHostName: "127.0.0.1", port: bench.server.port)
        task.delegate = recorder
        task.resume()
        task.write(Data("x".utf8), timeout: 0) { _ in }
        let read = Task { await errorCode { _ = try await task.text() } }
        for _ in 0..<(turns * 2) { await Task.yield() }
        task.cancel()
        let code = await read.value
        #expect(code == nil || code == URLError.cancelled.rawValue)
        let events = await recorder.completed()
        #expect(events == [.completed(URLError.cancelled.rawValue)])
      }
    }
  }

  @Test func aSwiftTaskThatIsCancelledLosesNoByte() async throws {
    let gate = Gate()
    try await StreamBench.with([.wait(gate), .send("abc")]) { bench async throws in
      bench.task.resume()
      let read = Task { try await bench.task.text() }
      try await gate.reached()
      read.cancel()
      await #expect(throws: CancellationError.self) { try await read.value }
      gate.open()
      #expect(try await bench.task.text(atLeast: 3) == "abc")
    }
  }

  @Test func aSwiftTaskThatWasCancelledBeforeReadsNothing() async throws {
    try await StreamBench.with([.echo]) { bench async throws in
      bench.task.resume()
      try await bench.task.send("abc")
      let read = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await bench.task.text()
      }
      await #expect(throws: CancellationError.self) { try await read.value }
      #expect(try await bench.task.text(atLeast: 3) == "abc")
      let write = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await bench.task.send("never")
      }
      await #expect(throws: CancellationError.self) { try await write.value }
      try await bench.task.send("def")
      #expect(try await bench.task.text(atLeast: 3) == "def")
    }
  }
}
