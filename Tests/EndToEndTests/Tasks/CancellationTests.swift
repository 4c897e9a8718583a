import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
  /// Cancels a delegate task in the phase that `reached` waits for, and checks that it ends once, with -999, and that its server hears of it.
  private func expectOneCancellation(
    _ server: TestServer, _ url: URL, over wire: Wire, recorder: DelegateRecorder = DelegateRecorder(),
    reached: (URLSessionTask) async throws -> Void
  ) async throws {
    let session = URLSession(configuration: try wire.configuration(), delegate: recorder, delegateQueue: nil)
    let task = session.dataTask(with: url)
    try await reached(task)
    task.cancel()
    task.cancel()
    let error = await recorder.completion(of: task)
    #expect((error as? URLError)?.code == .cancelled)
    #expect(task.state == .completed)
    try await server.waitUntilGivenUp(over: wire)
    // RFC 9113, 7: CANCEL.
    #expect(server.requests.allSatisfy { $0.resetCode == wire.cancelCode })
    session.finishTasksAndInvalidate()
    await recorder.invalidation()
    #expect(recorder.events.filter { $0 == .completed(code: -999) }.count == 1)
    #expect(recorder.milestones.suffix(3) == [.metrics(transactions: 1), .completed(code: -999), .invalid])
  }

  @Test(arguments: Wire.allCases) func unstartedTaskEndsWithoutARequest(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      try await expectOneCancellation(server, server.url(), over: wire) { _ in }
      #expect(server.acceptedConnections == 0)
    }
  }

  @Test(arguments: Wire.allCases) func taskThatWaitsForTheHeadEndsAndTheServerHearsOfIt(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply.text("x").with(.delayBeforeHeaders(gate)))
      try await expectOneCancellation(server, server.url(), over: wire) { task in
        task.resume()
        try await gate.reached()
      }
    }
  }

  @Test(arguments: Wire.allCases) func taskInTheMiddleOfABodyEndsAndTheServerHearsOfIt(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 1_000_000), faults: [.stallAfter(bodyBytes: 1000)]))
      let arrival = Gate(isOpen: true)
      try await expectOneCancellation(server, server.url(), over: wire, recorder: DelegateRecorder(dataGate: arrival)) { task in
        task.resume()
        try await arrival.reached()
      }
    }
  }

  @Test(arguments: Wire.allCases) func suspendedTaskEndsWithoutBeingResumed(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply.text("x").with(.delayBeforeHeaders(gate)))
      try await expectOneCancellation(server, server.url(), over: wire) { task in
        task.resume()
        try await gate.reached()
        task.suspend()
      }
    }
  }

  @Test func taskThatConnectsToASilentTLSServerEnds() async throws {
    try await TestServer.with(.raw([])) { server async throws in
      let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
      try await expectOneCancellation(server, url, over: .plain) { task in
        task.resume()
        _ = try await server.waitForBytes(1)
      }
    }
  }

  @Test(arguments: Wire.allCases) func taskThatWaitsForAConnectionEndsAndTheOthersGoOn(_ wire: Wire) async throws {
    try await wire.serve({ $0.maximumConcurrentStreams = 1 }) { server, configuration async throws in
      let gate = Gate()
      server.route("/slow", reply: Reply.text("slow").with(.delayBeforeHeaders(gate)))
      server.route("/quick", reply: .text("quick"))
      configuration.httpMaximumConnectionsPerHost = 1
      let session = URLSession(configuration: configuration)
      // HTTP/2's limit is known after the first answer.
      _ = try await session.data(from: server.url("/quick"))
      let (first, second, third) = (CompletionLog(), CompletionLog(), CompletionLog())
      session.dataTask(with: server.url("/slow"), completionHandler: first.handler).resume()
      try await gate.reached()
      let waiting = session.dataTask(with: server.url("/quick"), completionHandler: second.handler)
      waiting.resume()
      session.dataTask(with: server.url("/quick"), completionHandler: third.handler).resume()
      try await session.lineUp()
      waiting.cancel()
      #expect(await second.call().code == -999)
      gate.open()
      #expect(await first.call().data == Data("slow".utf8))
      #expect(await third.call().data == Data("quick".utf8))
      #expect(server.acceptedConnections == 1)
      #expect(server.requestCount == 3)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func taskWhoseDelegatePondersAResponseEnds(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 1_000_000), faults: [.stallAfter(bodyBytes: 1000)]))
      try await expectEndWhilePondering(server, over: wire)
    }
  }

  @Test(arguments: Wire.allCases) func taskWhoseDelegatePondersARedirectEnds(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let reply = Reply(302, headers: ["Location": "/other"], body: .pattern(count: 1_000_000), faults: [.stallAfter(bodyBytes: 1000)])
      server.enqueue(reply)
      try await expectEndWhilePondering(server, over: wire)
      #expect(server.requestCount == 1)
    }
  }

  /// The server must not come to the end of its reply: a response read to its end leaves its connection to others.
  private func expectEndWhilePondering(_ server: TestServer, over wire: Wire) async throws {
    let delegate = PonderingDelegate()
    let session = URLSession(configuration: try wire.configuration(), delegate: delegate, delegateQueue: nil)
    let task = session.dataTask(with: server.url())
    task.resume()
    await delegate.asked.wait()
    task.cancel()
    await delegate.completed.wait()
    #expect(delegate.codes == [-999])
    try await server.waitUntilGivenUp(over: wire)
    delegate.answer()
    session.finishTasksAndInvalidate()
    await delegate.invalidated.wait()
    #expect(delegate.codes == [-999])
  }

  @Test(arguments: Wire.allCases) func completedTaskIsNotCancelledAnyMore(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      task.cancel()
      #expect(task.state == .completed)
      #expect(task.error == nil)
      session.finishTasksAndInvalidate()
      await recorder.invalidation()
      #expect(recorder.events.suffix(2) == [.completed(code: nil), .invalid])
    }
  }

  @Test(arguments: Wire.allCases) func cancellingTheSwiftTaskCancelsTheLoad(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply.text("x").with(.delayBeforeHeaders(gate)))
      let session = URLSession(configuration: configuration)
      let url = server.url()
      let load = Task { try await session.data(from: url) }
      try await gate.reached()
      load.cancel()
      #expect(await errorCode { _ = try await load.value } == -999)
      try await server.waitUntilGivenUp(over: wire)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func loadInACancelledSwiftTaskEndsWithoutARequest(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let session = URLSession(configuration: configuration)
      let url = server.url("/get")
      let load = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        let data = await errorCode { _ = try await session.data(from: url) }
        let bytes = await errorCode { _ = try await session.bytes(from: url) }
        return [data, bytes]
      }
      #expect(await load.value == [-999, -999])
      #expect(server.requestCount == 0)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func cancellingTheReaderOfBytesEndsTheLoad(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 1000), faults: [.stallAfter(bodyBytes: 3)]))
      let session = URLSession(configuration: configuration)
      let url = server.url()
      let third = Signal()
      let reader = Task {
        let (bytes, _) = try await session.bytes(from: url)
        var count = 0
        for try await _ in bytes {
          count += 1
          if count == 3 { third.send() }
        }
      }
      await third.wait()
      reader.cancel()
      #expect(await errorCode { try await reader.value } == -999)
      try await server.waitUntilGivenUp(over: wire)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func droppedBytesEndTheLoad(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 1000), faults: [.stallAfter(bodyBytes: 3)]))
      let session = URLSession(configuration: configuration)
      #expect(try await CancellationTests.firstByte(of: server.url(), session) == UInt8(ascii: "a"))
      try await server.waitUntilGivenUp(over: wire)
      session.invalidateAndCancel()
    }
  }

  private static func firstByte(of url: URL, _ session: URLSession) async throws -> UInt8? {
    let (bytes, _) = try await session.bytes(from: url)
    var iterator = bytes.makeAsyncIterator()
    return try await iterator.next()
  }

  @Test(arguments: Wire.allCases) func cancellingTheTaskOfBytesEndsTheIteration(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 1000), faults: [.stallAfter(bodyBytes: 3)]))
      let session = URLSession(configuration: configuration)
      let (bytes, _) = try await session.bytes(from: server.url())
      bytes.task.cancel()
      #expect(await errorCode { for try await _ in bytes {} } == -999)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func resumingAndCancellingFromManyThreadsEndsOnce(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: .text("x"))
      let session = URLSession(configuration: configuration)
      let url = server.url()
      for _ in 0..<200 {
        let log = CompletionLog()
        let task = session.dataTask(with: url, completionHandler: log.handler)
        await withTaskGroup(of: Void.self) { group in
          group.addTask { task.resume() }
          group.addTask { task.cancel() }
        }
        _ = await log.call()
        #expect(log.count == 1)
      }
      session.invalidateAndCancel()
    }
  }
}

/// Keeps the questions it is asked, and answers them when it is told to.
private final class PonderingDelegate: NSObject, URLSessionDataDelegate {
  let asked = Signal()
  let completed = Signal()
  let invalidated = Signal()
  private let answers = Mutex<[@Sendable () -> Void]>([])
  private let ends = Mutex<[Int?]>([])

  var codes: [Int?] { ends.withLock { $0 } }

  func answer() {
    for answer in answers.withLock({ $0 }) { answer() }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    answers.withLock { $0.append { completionHandler(.allow) } }
    asked.send()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    answers.withLock { $0.append { completionHandler(request) } }
    asked.send()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    ends.withLock { $0.append((error as NSError?)?.code) }
    completed.send()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { invalidated.send() }
}
