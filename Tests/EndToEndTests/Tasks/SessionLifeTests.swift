import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct SessionLifeTests {
  @Test(arguments: Wire.allCases) func configurationIsCopiedWhenTheSessionIsMade(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      configuration.httpAdditionalHeaders = ["X-Early": "1"]
      let session = URLSession(configuration: configuration)
      configuration.httpAdditionalHeaders = ["X-Late": "1"]
      session.configuration.httpAdditionalHeaders = ["X-Late": "1"]
      _ = try await session.data(from: server.url("/get"))
      let request = try await server.waitForRequest()
      #expect(request.headers["X-Early"] == "1")
      #expect(request.headers["X-Late"] == nil)
      #expect(session.configuration !== session.configuration)
      session.invalidateAndCancel()
    }
  }

  @Test func delegateIsKeptUntilInvalidationAndReleasedThen() async throws {
    let leaks = LeakCheck()
    let session = makeSession(leaks)
    #expect(leaks.alive == ["delegate"])
    #expect(session.delegate != nil)
    session.finishTasksAndInvalidate()
    try await leaks.verify()
    #expect(session.delegate == nil)
  }

  /// On Apple's platforms both stay until the session is invalidated.
  @Test func sessionThatNothingRefersToIsReleasedWithItsDelegate() async throws {
    let leaks = LeakCheck()
    _ = makeSession(leaks)
    try await leaks.verify()
  }

  @Test(arguments: Wire.allCases) func timersOfAnEndedSessionAreCancelled(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      let clock = ManualClock()
      configuration.use(clock)
      let recorder = DelegateRecorder()
      let invalidated = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      for session in [invalidated, URLSession(configuration: configuration)] {
        for _ in 0..<3 { #expect(try await session.text(from: server.url()).0 == "ok") }
      }
      #expect(!clock.pendingWakes.isEmpty)
      invalidated.finishTasksAndInvalidate()
      await recorder.invalidation()
      // The other one has been released.
      try await server.waitForConnections(open: 0)
      try await server.wait { clock.pendingWakes.isEmpty }
    }
  }

  private func makeSession(_ leaks: LeakCheck) -> URLSession {
    let delegate = DelegateRecorder()
    leaks.track(delegate, "delegate")
    return URLSession(configuration: .testing(), delegate: delegate, delegateQueue: nil)
  }

  @Test(arguments: Wire.allCases) func finishingLetsRunningTasksEndAndTakesNoNewOnes(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply.text("x").with(.delayBeforeHeaders(gate)))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      try await gate.reached()
      session.finishTasksAndInvalidate()
      let late = session.dataTask(with: server.url())
      late.resume()
      let error = await recorder.completion(of: late)
      #expect((error as? URLError)?.code == .cancelled)
      gate.open()
      #expect(await recorder.completion(of: task) == nil)
      await recorder.invalidation()
      #expect(recorder.events.last == .invalid)
      #expect(recorder.body == Data("x".utf8))
      #expect(server.requestCount == 1)
      try await server.waitForConnections(open: 0)
    }
  }

  @Test(arguments: Wire.allCases) func invalidatingAndCancellingEndsEveryTask(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/", reply: Reply.text("x").with(.delayBeforeHeaders(gate)))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let tasks = (0..<10).map { _ in session.dataTask(with: server.url()) }
      for task in tasks.dropFirst() { task.resume() }
      try await gate.reached()
      session.invalidateAndCancel()
      for task in tasks {
        let error = await recorder.completion(of: task)
        #expect((error as? URLError)?.code == .cancelled)
      }
      await recorder.invalidation()
      #expect(recorder.events.last == .invalid)
      #expect(recorder.events.filter { $0 == .invalid }.count == 1)
      try await server.waitForConnections(open: 0)
    }
  }

  @Test func nothingComesAfterTheEndOfASession() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    for round in 0..<100 {
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
      // Some of the calls make their tasks before the session ends, some while it does, and some after that.
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { await #expect(throws: URLError.self) { try await session.data(from: url) } } }
        group.addTask { round.isMultiple(of: 2) ? session.invalidateAndCancel() : session.finishTasksAndInvalidate() }
      }
      await recorder.invalidation()
      let late = session.dataTask(with: url)
      late.resume()
      await #expect(throws: URLError.self) { try await session.data(from: url) }
      await session.flush()
      #expect(recorder.events.last == .invalid)
    }
  }

  @Test func invalidatingTwiceTellsTheDelegateOnce() async throws {
    let recorder = DelegateRecorder()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: queue)
    session.finishTasksAndInvalidate()
    session.invalidateAndCancel()
    session.finishTasksAndInvalidate()
    await recorder.invalidation()
    await withCheckedContinuation { continuation in queue.addOperation { continuation.resume() } }
    #expect(recorder.events == [.invalid])
  }

  @Test func taskOfAnInvalidatedSessionEndsWithAnErrorInEveryForm() async throws {
    let session = URLSession(configuration: .testing(), delegate: DelegateRecorder(), delegateQueue: nil)
    session.invalidateAndCancel()
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    #expect(await errorCode { _ = try await session.data(from: url) } == -999)
    #expect(await errorCode { _ = try await session.bytes(from: url) } == -999)
    let log = CompletionLog()
    session.dataTask(with: url, completionHandler: log.handler).resume()
    let call = await log.call()
    #expect(call.code == -999)
    #expect(call.error?.localizedDescription.contains("invalidated") == true)
    let task = session.dataTask(with: url)
    task.resume()
    // No delegate is told any more: it has been released. But loads of one session end in the order in which they fail.
    session.dataTask(with: url, completionHandler: log.handler).resume()
    _ = await log.call()
    #expect(task.state == .completed)
    #expect((task.error as? URLError)?.code == .cancelled)
  }

  @Test func sharedSessionIgnoresInvalidation() async throws {
    URLSession.shared.invalidateAndCancel()
    URLSession.shared.finishTasksAndInvalidate()
    let url = try #require(URL(string: "data:,still%20here"))
    let (data, _) = try await URLSession.shared.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "still here")
  }

  @Test(arguments: Wire.allCases) func cancelledTaskIsNotListedFromThenOn(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/", reply: Reply.text("x").with(.delayBeforeHeaders(gate)))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let (cancelled, other, unstarted) = (
        session.dataTask(with: server.url()), session.dataTask(with: server.url()), session.dataTask(with: server.url())
      )
      for task in [cancelled, other] { task.resume() }
      try await gate.reached()
      cancelled.cancel()
      unstarted.cancel()
      #expect(await session.allTasks == [other])
      #expect(await session.tasks.0 == [other])
      let listed = await withCheckedContinuation { continuation in session.getAllTasks { continuation.resume(returning: $0) } }
      #expect(listed == [other])
      gate.open()
      for task in [cancelled, unstarted] { #expect((await recorder.completion(of: task) as? URLError)?.code == .cancelled) }
      #expect(await recorder.completion(of: other) == nil)
      session.invalidateAndCancel()
    }
  }

  @Test func requestWithoutAURLIsUnsupported() async {
    let configuration = URLSessionConfiguration.testing()
    let session = URLSession(configuration: configuration)
    var request = URLRequest(url: URL(filePath: "/a"))
    request.url = nil
    #expect(await session.failure(of: request)?.code == .unsupportedURL)
    let log = CompletionLog()
    session.downloadTask(with: request) { _, _, error in log.handler(nil, nil, error) }.resume()
    #expect(await log.call().code == URLError.Code.unsupportedURL.rawValue)
    let socket = session.webSocketTask(with: request)
    socket.resume()
    let error = await #expect(throws: URLError.self) { _ = try await socket.receive() }
    #expect(error?.code == .unsupportedURL)
    session.invalidateAndCancel()
  }

  @Test(arguments: Wire.allCases) func tasksThatHaveNotCompletedAreListed(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/", reply: Reply.text("x").with(.delayBeforeHeaders(gate)))
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: queue)
      let running = session.dataTask(with: server.url())
      let suspended = session.dataTask(with: server.url())
      running.resume()
      try await gate.reached()
      #expect(await session.allTasks == [running, suspended])
      let (data, uploads, downloads) = await session.tasks
      #expect(data == [running, suspended])
      #expect(uploads.isEmpty && downloads.isEmpty)
      let all = await withCheckedContinuation { continuation in
        session.getAllTasks { tasks in continuation.resume(returning: OperationQueue.current === queue ? tasks : []) }
      }
      #expect(all == [running, suspended])
      let listed = await withCheckedContinuation { continuation in
        session.getTasksWithCompletionHandler { data, _, _ in continuation.resume(returning: OperationQueue.current === queue ? data : []) }
      }
      #expect(listed == [running, suspended])
      gate.open()
      _ = await recorder.completion(of: running)
      #expect(await session.allTasks == [suspended])
      session.invalidateAndCancel()
      await recorder.invalidation()
      #expect(await session.allTasks.isEmpty)
    }
  }

  @Test func resetAndFlushReportOnTheDelegateQueue() async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(configuration: .testing(), delegate: nil, delegateQueue: queue)
    let flushed = await withCheckedContinuation { continuation in
      session.flush { continuation.resume(returning: OperationQueue.current === queue) }
    }
    #expect(flushed)
    let reset = await withCheckedContinuation { continuation in
      session.reset { continuation.resume(returning: OperationQueue.current === queue) }
    }
    #expect(reset)
    session.invalidateAndCancel()
  }

  @Test(arguments: Wire.allCases) func loadsAfterAFlushUseNewConnections(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let session = URLSession(configuration: configuration)
      _ = try await session.data(from: server.url("/get"))
      await session.flush()
      try await server.waitForConnections(open: 0)
      _ = try await session.data(from: server.url("/get"))
      #expect(server.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func sessionsShareNoConnections(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      for _ in 0..<2 {
        let session = URLSession(configuration: configuration)
        _ = try await session.data(from: server.url("/get"))
        _ = try await session.data(from: server.url("/get"))
        session.finishTasksAndInvalidate()
      }
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test(arguments: Wire.allCases) func concurrentDelegateQueueKeepsTheOrderOfEachTask(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let chunks = (0..<40).map { Data(repeating: UInt8($0), count: 1000) }
      server.route("/", reply: Reply(body: .chunks(chunks), faults: [.trickle(chunkSize: 1000)]))
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 4
      let delegate = OrderKeeper(expecting: 20)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
      for _ in 0..<20 { session.dataTask(with: server.url()).resume() }
      await delegate.allCompleted.wait()
      let expected = chunks.reduce(into: Data()) { $0 += $1 }
      let records = delegate.records
      #expect(records.count == 20)
      #expect(records.values.allSatisfy { $0.body == expected && $0.order == "response,data,metrics,completed" })
      session.finishTasksAndInvalidate()
      await delegate.invalidated.wait()
      #expect(delegate.records.values.allSatisfy { $0.order == "response,data,metrics,completed" })
    }
  }

  @Test func taskIdentifiersAreUniqueAndCountFromOne() async throws {
    let session = URLSession(configuration: .testing())
    let url = try #require(URL(string: "http://127.0.0.1/"))
    #expect(session.dataTask(with: url).taskIdentifier == 1)
    let identifiers = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<8 { group.addTask { (0..<100).map { _ in session.dataTask(with: url).taskIdentifier } } }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(identifiers) == Set(2...801))
    session.invalidateAndCancel()
  }
}
