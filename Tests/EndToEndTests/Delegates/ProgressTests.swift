import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ProgressTests {
  @Test(arguments: Wire.allCases) func progressIsTheFractionOfTheBody(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply(body: .pattern(count: 1000), faults: [.stallAfter(bodyBytes: 500, gate: gate)]))
      let session = URLSession(configuration: configuration)
      let (bytes, _) = try await session.bytes(from: server.url())
      let progress = bytes.task.progress
      #expect(progress === bytes.task.progress)
      var iterator = bytes.makeAsyncIterator()
      for _ in 0..<500 { _ = try await iterator.next() }
      #expect(progress.totalUnitCount == 1000)
      #expect(progress.completedUnitCount == 500)
      #expect(progress.fractionCompleted == 0.5)
      #expect(!progress.isFinished)
      gate.open()
      while try await iterator.next() != nil {}
      #expect(progress.fractionCompleted == 1)
      #expect(progress.isFinished)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func progressOfUnknownLengthIsIndeterminateUntilTheEnd(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(
        Reply(body: .pattern(count: 1000), framing: .chunked, faults: [.stallAfter(bodyBytes: 500, gate: gate)]))
      let session = URLSession(configuration: configuration)
      let (bytes, _) = try await session.bytes(from: server.url())
      let progress = bytes.task.progress
      var iterator = bytes.makeAsyncIterator()
      for _ in 0..<500 { _ = try await iterator.next() }
      #expect(progress.isIndeterminate)
      #expect(progress.completedUnitCount == 500)
      gate.open()
      while try await iterator.next() != nil {}
      #expect(!progress.isIndeterminate)
      #expect(progress.totalUnitCount == 1000)
      #expect(progress.isFinished)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func progressOfAnEmptyBodyFinishes(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(204))
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: server.url(), completionHandler: log.handler)
      let progress = task.progress
      task.resume()
      _ = await log.call()
      #expect(progress.isFinished)
      #expect(progress.fractionCompleted == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func cancellingTheProgressCancelsTheTask(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let parent = Progress(totalUnitCount: 1)
      parent.addChild(held.task.progress, withPendingUnitCount: 1)
      try await held.start()
      parent.cancel()
      #expect(await held.log.call().code == -999)
      #expect(held.task.progress.isCancelled)
    }
  }

  /// `handler`, and then the news that it has run.
  private static func announcing(_ handler: (@Sendable () -> Void)?, _ signal: Signal) -> @Sendable () -> Void {
    {
      handler?()
      signal.send()
    }
  }

  @Test(arguments: Wire.allCases) func pausingTheProgressSuspendsTheTask(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let progress = held.task.progress
      let (paused, resumed) = (Signal(), Signal())
      progress.pausingHandler = ProgressTests.announcing(progress.pausingHandler, paused)
      progress.resumingHandler = ProgressTests.announcing(progress.resumingHandler, resumed)
      try await held.start()
      // Foundation calls the handlers on another thread.
      progress.pause()
      await paused.wait()
      #expect(held.task.state == .suspended)
      progress.resume()
      await resumed.wait()
      #expect(held.task.state == .running)
      held.gate.open()
      #expect(await held.log.call().data == Data("x".utf8))
    }
  }

  @Test(arguments: Wire.allCases) func parentAddsUpItsTasks(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(.text("quick"))
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let parent = Progress(totalUnitCount: 2)
      let first = session.dataTask(with: server.url(), completionHandler: log.handler)
      let second = session.dataTask(with: server.url(), completionHandler: log.handler)
      parent.addChild(first.progress, withPendingUnitCount: 1)
      parent.addChild(second.progress, withPendingUnitCount: 1)
      first.resume()
      _ = await log.call()
      #expect(parent.fractionCompleted == 0.5)
      server.enqueue(Reply.text("slow").with(.delayBeforeHeaders(gate)))
      second.resume()
      gate.open()
      _ = await log.call()
      #expect(parent.fractionCompleted == 1)
      #expect(parent.isFinished)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func tasksMadeUnderACurrentProgressBecomeItsParts(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/whole", reply: Reply(body: .pattern(count: 1000)))
      server.route("/half", reply: Reply(body: .pattern(count: 1000), faults: [.stallAfter(bodyBytes: 500, gate: gate)]))
      let session = URLSession(configuration: configuration)
      let parent = Progress(totalUnitCount: 4)
      let (first, second) = (CompletionLog(), CompletionLog())
      let whole = parent.current(for: 3) {
        session.dataTask(with: server.url("/whole"), completionHandler: first.handler)
      }
      let half = parent.current(for: 1) {
        session.dataTask(with: server.url("/half"), completionHandler: second.handler)
      }
      let alone = session.dataTask(with: server.url("/whole"))
      #expect(parent.fractionCompleted == 0)
      whole.resume()
      _ = await first.call()
      #expect(parent.fractionCompleted == 0.75)
      #expect(whole.progress.fractionCompleted == 1)
      half.resume()
      try await gate.reached()
      gate.open()
      _ = await second.call()
      #expect(parent.fractionCompleted == 1 && parent.isFinished)
      #expect(alone.progress.fractionCompleted == 0)
      session.invalidateAndCancel()
    }
  }

  @Test func progressAskedForUnderAnotherCurrentOneStaysFree() async throws {
    let session = URLSession(configuration: .testing())
    let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1/")))
    let other = Progress(totalUnitCount: 1)
    let progress = other.current(for: 1) { task.progress }
    let parent = Progress(totalUnitCount: 1)
    parent.addChild(progress, withPendingUnitCount: 1)
    parent.cancel()
    #expect(progress.isCancelled && !other.isCancelled)
    session.invalidateAndCancel()
  }

  /// Whatever is known of the length before: a task that is through is whole, in its parent too.
  @Test(arguments: [false, true], Wire.allCases)
  func everyKindOfBodyEndsAtOne(joinsByAdding: Bool, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let text = Data(repeating: 0x61, count: 100_000)
      let replies: [Reply] = [
        Reply(body: .pattern(count: 100_000)), Reply(body: .pattern(count: 100_000), framing: .chunked), .gzip(text), Reply(204),
        .text("not found", status: 404),
      ]
      let counts: [Int64] = [100_000, 100_000, 100_000, 1, 9]
      let session = URLSession(configuration: configuration)
      for (reply, count) in zip(replies, counts) {
        server.enqueue(reply)
        let log = CompletionLog()
        let parent = Progress(totalUnitCount: 2)
        let task: URLSessionDataTask
        if joinsByAdding {
          task = session.dataTask(with: server.url(), completionHandler: log.handler)
          parent.addChild(task.progress, withPendingUnitCount: 1)
        } else {
          task = parent.current(for: 1) {
            session.dataTask(with: server.url(), completionHandler: log.handler)
          }
        }
        task.resume()
        #expect(await log.call().code == nil)
        #expect(task.progress.totalUnitCount == count && task.progress.completedUnitCount == count)
        #expect(task.progress.fractionCompleted == 1 && task.progress.isFinished)
        #expect(parent.fractionCompleted == 0.5)
      }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func failedTaskIsNotWhole(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 1000), faults: [.disconnectAfterBodyBytes(500)]))
      let session = URLSession(configuration: configuration)
      let parent = Progress(totalUnitCount: 1)
      let log = CompletionLog()
      let task = session.dataTask(with: server.url(), completionHandler: log.handler)
      parent.addChild(task.progress, withPendingUnitCount: 1)
      task.resume()
      #expect(await log.call().code == -1005)
      #expect(task.progress.fractionCompleted == 0.5 && parent.fractionCompleted == 0.5)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bytesAreCountedWithACompletionHandler(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 1234)))
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      var request = URLRequest(url: server.url())
      request.httpMethod = "POST"
      request.httpBody = Data(repeating: 1, count: 300_000)
      let task = session.dataTask(with: request, completionHandler: log.handler)
      #expect(task.countOfBytesExpectedToSend == 300_000)
      let progress = task.progress
      task.resume()
      _ = await log.call()
      #expect(task.countOfBytesSent == 300_000)
      #expect(task.countOfBytesReceived == 1234)
      #expect(task.countOfBytesExpectedToReceive == 1234)
      #expect(progress.totalUnitCount == 301_234)
      #expect(progress.completedUnitCount == 301_234)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func progressOfAnUploadIsThatOfItsBodyUntilTheAnswerComes(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply(body: .pattern(count: 500), faults: [.delayBeforeHeaders(gate)]))
      let session = URLSession(configuration: configuration)
      let log = CompletionLog()
      let task = session.uploadTask(with: URLRequest("PUT", server.url()), from: Data(count: 1000), completionHandler: log.handler)
      #expect(task.progress.totalUnitCount == 1000)
      task.resume()
      try await gate.reached()
      try await server.wait { task.progress.completedUnitCount == 1000 }
      #expect(task.progress.totalUnitCount == 1000)
      gate.open()
      #expect(await log.call().code == nil)
      #expect(task.progress.totalUnitCount == 1500 && task.progress.isFinished)
      session.invalidateAndCancel()
    }
  }
}

extension Progress {
  /// What `body` makes while this is the thread's current progress.
  func current<Made>(for units: Int64, _ body: () -> Made) -> Made {
    becomeCurrent(withPendingUnitCount: units)
    defer { resignCurrent() }
    return body()
  }
}
