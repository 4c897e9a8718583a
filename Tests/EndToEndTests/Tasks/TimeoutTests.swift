import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct TimeoutTests {
  /// Runs `body` with a session of virtual time whose request timeout is ten seconds.
  private func serve(
    _ wire: Wire, _ adjust: (inout TestServer.Options) -> Void = { _ in }, resourceTimeout: Double = 10_000,
    delegate: (any URLSessionDelegate)? = nil, _ body: (TestServer, URLSession, ManualClock) async throws -> Void
  ) async throws {
    try await wire.serve(adjust) { server, configuration async throws in
      let clock = ManualClock()
      configuration.use(clock)
      configuration.timeoutIntervalForRequest = 10
      configuration.timeoutIntervalForResource = resourceTimeout
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      try await body(server, session, clock)
      session.invalidateAndCancel()
    }
  }

  @Test func serverThatNeverAnswersTheHandshake() async throws {
    try await serve(.plain, { $0.behaviour = .raw([.read(count: 1), .waitForRelease("never")]) }) { server, session, clock async throws in
      let url = try #require(URL(string: server.url().absoluteString.replacingOccurrences(of: "http:", with: "https:")))
      let load = Task { await session.failure(of: url) }
      _ = try await server.waitForBytes(1)
      await session.barrier()
      clock.advance(by: 10)
      let error = await load.value
      #expect(error?.code == .timedOut)
      #expect(error?.localizedDescription.contains("(while securing the connection)") == true)
      session.invalidateAndCancel()
      try await server.waitForConnections(open: 0)
    }
  }

  @Test(arguments: Wire.allCases) func serverThatNeverSendsAHead(_ wire: Wire) async throws {
    try await serve(wire) { server, session, clock async throws in
      let gate = Gate()
      server.enqueue(.text("late").with(.delayBeforeHeaders(gate)))
      let load = Task { await session.failure(of: server.url()) }
      try await gate.reached()
      await session.barrier()
      clock.advance(by: 9.9)
      await session.barrier()
      clock.advance(by: 0.1)
      let error = await load.value
      #expect(error?.code == .timedOut)
      #expect(error?.localizedDescription.contains("nothing moved for 10 seconds (while waiting for the response)") == true)
      try await server.waitForConnections(open: 0)
    }
  }

  @Test(arguments: Wire.allCases) func bodyThatStops(_ wire: Wire) async throws {
    try await serve(wire) { server, session, clock async throws in
      server.enqueue(.text("abcdef").with(.stallAfter(bodyBytes: 3)))
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      for _ in 0..<3 { _ = try await iterator.next() }
      await session.barrier()
      clock.advance(by: 10)
      let error = await #expect(throws: URLError.self) { try await iterator.next() }
      #expect(error?.code == .timedOut)
      #expect(error?.localizedDescription.contains("(while reading the body)") == true)
    }
  }

  @Test(arguments: Wire.allCases) func everyByteRestartsTheTimeout(_ wire: Wire) async throws {
    try await serve(wire) { server, session, clock async throws in
      let gate = Gate()
      server.enqueue(
        Reply(headers: ["Content-Type": "text/plain"], body: .repeating(7, count: 10), faults: [.trickle(chunkSize: 1, gate: gate)]))
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      for _ in 0..<9 {
        gate.release()
        #expect(try await iterator.next() == 7)
        await session.barrier()
        clock.advance(by: 9)
      }
      clock.advance(by: 1)
      let error = await #expect(throws: URLError.self) { try await iterator.next() }
      #expect(error?.code == .timedOut)
    }
  }

  @Test(arguments: Wire.allCases) func requestsOwnTimeoutWins(_ wire: Wire) async throws {
    try await serve(wire) { server, session, clock async throws in
      let gate = Gate()
      server.route("/held", reply: .text("late").with(.delayBeforeHeaders(gate)))
      var hasty = URLRequest(url: server.url("/held"))
      hasty.timeoutInterval = 3
      var patient = hasty
      patient.timeoutInterval = 100
      let failing = Task { [hasty] in await session.failure(of: hasty) }
      let waiting = Task { [patient] in try await session.text(for: patient).0 }
      try await gate.reached(2)
      try await pulse(server, session)
      clock.advance(by: 3)
      #expect(await failing.value?.code == .timedOut)
      try await pass(96, server, session, clock)
      gate.open()
      #expect(try await waiting.value == "late")
    }
  }

  @Test(arguments: Wire.allCases) func resourceTimeoutEndsALoadThatMoves(_ wire: Wire) async throws {
    try await serve(wire, resourceTimeout: 20) { server, session, clock async throws in
      let gate = Gate()
      server.enqueue(
        Reply(headers: ["Content-Type": "text/plain"], body: .repeating(7, count: 10), faults: [.trickle(chunkSize: 1, gate: gate)]))
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      for _ in 0..<2 {
        gate.release()
        #expect(try await iterator.next() == 7)
        await session.barrier()
        clock.advance(by: 9)
      }
      gate.release()
      #expect(try await iterator.next() == 7)
      await session.barrier()
      clock.advance(by: 2)
      let error = await #expect(throws: URLError.self) { try await iterator.next() }
      #expect(error?.code == .timedOut)
      #expect(error?.localizedDescription.contains("timeoutIntervalForResource (while reading the body)") == true)
    }
  }

  /// Returns when the session has done what it had to do, and has heard from the server: over HTTP/2 on the connection of the other loads,
  /// which a `barrier` would part with.
  private func pulse(_ server: TestServer, _ session: URLSession) async throws {
    server.route("/pulse", reply: Reply(204))
    _ = try await session.data(from: server.url("/pulse"))
  }

  /// Lets `seconds` pass, with a pulse before HTTP/2 asks by PING whether the server is alive: the answer takes real time, and would come
  /// too late for a clock that jumps.
  private func pass(_ seconds: Double, _ server: TestServer, _ session: URLSession, _ clock: ManualClock) async throws {
    for elapsed in stride(from: 0, to: seconds, by: 25) {
      clock.advance(by: min(25, seconds - elapsed))
      try await pulse(server, session)
    }
  }

  /// Runs `body` with a task that is suspended and has been for long while its server held the response back behind the gate.
  private func serveSuspended(
    _ wire: Wire, _ body: (TestServer, URLSession, URLSessionTask, DelegateRecorder, Gate, ManualClock) async throws -> Void
  ) async throws {
    let recorder = DelegateRecorder()
    try await serve(wire, delegate: recorder) { server, session, clock async throws in
      let gate = Gate()
      server.enqueue(.text("late").with(.delayBeforeHeaders(gate)))
      let task = session.dataTask(with: server.url())
      task.resume()
      try await gate.reached()
      task.suspend()
      try await pulse(server, session)
      try await pass(1000, server, session, clock)
      try await body(server, session, task, recorder, gate, clock)
    }
  }

  @Test(arguments: Wire.allCases) func suspendedTaskDoesNotTimeOut(_ wire: Wire) async throws {
    try await serveSuspended(wire) { server, session, task, recorder, gate, clock async throws in
      #expect(task.state == .suspended)
      task.resume()
      try await pulse(server, session)
      clock.advance(by: 9)
      gate.open()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body == Data("late".utf8))
    }
  }

  @Test(arguments: Wire.allCases) func resumedTaskTimesOutAgain(_ wire: Wire) async throws {
    try await serveSuspended(wire) { server, session, task, recorder, _, clock async throws in
      task.resume()
      try await pulse(server, session)
      clock.advance(by: 10)
      #expect((await recorder.completion(of: task) as? URLError)?.code == .timedOut)
    }
  }

  /// Keeps the question what to do with a response until the test answers it.
  private final class Ponderer: NSObject, URLSessionDataDelegate {
    typealias Answer = @Sendable (URLSession.ResponseDisposition) -> Void
    let questions = AsyncStream.makeStream(of: Answer.self)
    let ends = AsyncStream.makeStream(of: Int?.self)

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse, completionHandler: @escaping Answer
    ) {
      questions.continuation.yield(completionHandler)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      ends.continuation.yield((error as? URLError)?.errorCode)
    }
  }

  @Test(arguments: [true, false], Wire.allCases) func ponderingDelegateDoesNotTimeOut(bodyComes: Bool, _ wire: Wire) async throws {
    let ponderer = Ponderer()
    try await serve(wire, delegate: ponderer) { server, session, clock async throws in
      let gate = Gate()
      server.enqueue(.text("body").with(.delayBeforeBody(gate)))
      session.dataTask(with: server.url()).resume()
      let answer = try #require(await ponderer.questions.stream.first { _ in true })
      try await pulse(server, session)
      try await pass(1000, server, session, clock)
      answer(.allow)
      try await pulse(server, session)
      // From here on it's the server that is waited for.
      if bodyComes { gate.open() } else { clock.advance(by: 10) }
      let end = try #require(await ponderer.ends.stream.first { _ in true })
      #expect(end == (bodyComes ? nil : URLError.Code.timedOut.rawValue))
    }
  }

  @Test(arguments: Wire.allCases) func uploadThatNobodyReads(_ wire: Wire) async throws {
    try await serve(wire, { $0.receiveBufferSize = 16384 }) { server, session, clock async throws in
      let gate = Gate()
      server.route("/slow", reply: .text("done").with(.slowReader(gate)))
      let request = URLRequest("PUT", server.url("/slow"), body: Data(count: 64 << 20))
      let log = CompletionLog()
      let task = session.dataTask(with: request, completionHandler: log.handler)
      task.resume()
      try await gate.reached()
      try await session.quiet(server) { Int(task.countOfBytesSent) }
      clock.advance(by: 10)
      let error = await log.call().error as? URLError
      #expect(error?.code == .timedOut)
      #expect(error?.localizedDescription.contains("(while sending the request)") == true)
    }
  }
}
