import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct TaskObservationTests {
  @Test(arguments: Wire.allCases) func statesAreToldFromTheFirstToTheLast(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let (log, observation) = held.task.log(\.state, options: [.initial, .old, .new])
      #expect(log.entries.map(\.new) == [.suspended])
      #expect(log.entries.map(\.old) == [nil])
      try await held.start()
      held.task.suspend()
      held.task.resume()
      held.gate.open()
      _ = await held.log.call()
      #expect(log.news == [.suspended, .running, .suspended, .running, .completed])
      #expect(log.isUnbroken)
      withExtendedLifetime(observation) {}
    }
  }

  @Test(arguments: Wire.allCases) func countsResponseAndRequestOfALoadAreTold(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.redirect(to: "/end"), Reply(body: .pattern(count: 300_000)))
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: server.url("/begin"), completionHandler: log.handler)
      let received = task.log(\.countOfBytesReceived)
      let expected = task.log(\.countOfBytesExpectedToReceive)
      let response = task.log(\.response)
      let request = task.log(\.currentRequest)
      let error = task.log(\.error)
      task.resume()
      _ = await log.call()
      #expect(received.log.news.last == 300_000 && received.log.isUnbroken)
      #expect(received.log.news == received.log.news.sorted())
      #expect(expected.log.news == [300_000])
      #expect(response.log.news.map { $0?.url } == [server.url("/end")])
      #expect(request.log.news.compactMap { $0?.url } == [server.url("/end")])
      #expect(error.log.entries.isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bodyThatIsSentIsTold(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(204))
      var request = URLRequest(url: server.url())
      request.httpMethod = "PUT"
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let task = session.uploadTask(with: request, from: Data(count: 500_000), completionHandler: log.handler)
      let sent = task.log(\.countOfBytesSent)
      task.resume()
      _ = await log.call()
      #expect(sent.log.news.last == 500_000 && sent.log.isUnbroken)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func errorOfACancelledTaskIsToldOnce(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let error = held.task.log(\.error)
      let state = held.task.log(\.state)
      try await held.start()
      held.task.cancel()
      _ = await held.log.call()
      #expect(error.log.news.map { ($0 as? URLError)?.code } == [.cancelled])
      #expect(state.log.news == [.running, .canceling, .completed])
    }
  }

  @Test func optionsSayWhatAChangeHas() {
    let task = URLSession(configuration: .ephemeral).dataTask(with: URL(filePath: "/"))
    let none = task.log(\.taskDescription, options: [])
    let new = task.log(\.taskDescription, options: .new)
    let old = task.log(\.taskDescription, options: .old)
    let initial = task.log(\.taskDescription, options: .initial)
    task.taskDescription = "a"
    task.taskDescription = "a"
    task.taskDescription = nil
    #expect(none.log.entries.count == 2 && none.log.news.isEmpty && none.log.changes.isEmpty)
    #expect(new.log.entries.map(\.new) == ["a", .some(nil)] && new.log.changes.isEmpty)
    #expect(old.log.entries.map(\.old) == [.some(nil), "a"] && old.log.news.isEmpty)
    #expect(initial.log.entries.count == 3 && initial.log.news.isEmpty)
    task.cancel()
  }

  @Test func priorCallComesFirstWithoutANewValue() {
    let task = URLSession(configuration: .ephemeral).dataTask(with: URL(filePath: "/"))
    let (log, observation) = task.log(\.priority, options: [.initial, .old, .new, .prior])
    task.priority = 0.75
    #expect(log.entries.map(\.isPrior) == [false, true, false])
    #expect(log.entries.map(\.old) == [nil, 0.5, 0.5])
    #expect(log.entries.map(\.new) == [0.5, nil, 0.75])
    observation.invalidate()
    task.cancel()
  }

  @Test func setterTellsOnItsOwnThreadBeforeItReturns() {
    let task = URLSession(configuration: .ephemeral).dataTask(with: URL(filePath: "/"))
    let (log, observation) = task.log(\.priority)
    task.priority = 1
    #expect(log.entries.map(\.thread) == [pthread_self()])
    task.priority = 7
    #expect(log.entries.count == 1)
    withExtendedLifetime(observation) {}
    task.cancel()
  }

  @Test func handlerRunsWithoutALock() {
    let task = URLSession(configuration: .ephemeral).dataTask(with: URL(filePath: "/"))
    let inner = task.log(\.taskDescription)
    let observation = task.observe(\.priority) { task, _ in
      // Another thread would wait for ever where a lock were held.
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        task.taskDescription = "\(task.priority)"
        _ = task.observe(\.state, options: .initial) { _, _ in }
        done.signal()
      }
      done.wait()
    }
    task.priority = 0.25
    #expect(inner.log.news == ["0.25"])
    observation.invalidate()
    task.cancel()
  }

  @Test func changeFromInsideTheHandlerIsToldAfterIt() {
    let task = URLSession(configuration: .ephemeral).dataTask(with: URL(filePath: "/"))
    let log = ChangeLog<Float>()
    let depth = Mutex((now: 0, most: 0))
    let observation = task.observe(\.priority, options: [.old, .new]) { task, change in
      depth.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      log.note(change)
      if task.priority < 1 { task.priority += 0.125 }
      depth.withLock { $0.now -= 1 }
    }
    task.priority = 0.625
    #expect(log.news == [0.625, 0.75, 0.875, 1])
    #expect(log.isUnbroken)
    #expect(depth.withLock { $0.most } == 1)
    observation.invalidate()
    task.cancel()
  }

  @Test func changesOfManyThreadsAreEachToldOnceInOrder() async {
    let task = URLSession(configuration: .ephemeral).dataTask(with: URL(filePath: "/"))
    let log = task.log(\.taskDescription)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask { for number in 0..<500 { task.taskDescription = "\(thread) \(number)" } }
      }
    }
    // A thread leaves what another thread is telling: the last ones may still be on their way.
    while log.log.entries.count < 4000 { await Task.yield() }
    #expect(log.log.isUnbroken)
    #expect(Set(log.log.news.compactMap(\.self)).count == 4000 && log.log.entries.count == 4000)
    task.cancel()
  }
}
