import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(1))) struct ProgressTests {
  @Test func progressIsTheFractionOfTheBody() async throws {
    try await TestServer.with { server async throws in
      let gate = Gate()
      server.enqueue(Reply(body: .pattern(count: 1000), faults: [.stallAfter(bodyBytes: 500, gate: gate)]))
      let session = URLSession(configuration: .testing())
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

  @Test func progressOfUnknownLengthIsIndeterminateUntilTheEnd() async throws {
    try await TestServer.with { server async throws in
      let gate = Gate()
      server.enqueue(
        Reply(body: .pattern(count: 1000), framing: .chunked, faults: [.stallAfter(bodyBytes: 500, gate: gate)]))
      let session = URLSession(configuration: .testing())
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

  @Test func progressOfAnEmptyBodyFinishes() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Reply(204))
      let log = CompletionLog()
      let session = URLSession(configuration: .testing())
      let task = session.dataTask(with: server.url(), completionHandler: log.handler)
      let progress = task.progress
      task.resume()
      _ = await log.call()
      #expect(progress.isFinished)
      #expect(progress.fractionCompleted == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func cancellingTheProgressCancelsTheTask() async throws {
    try await HeldTask.with { held async throws in
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

  @Test func pausingTheProgressSuspendsTheTask() async throws {
    try await HeldTask.with { held async throws in
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

  @Test func parentAddsUpItsTasks() async throws {
    try await TestServer.with { server async throws in
      let gate = Gate()
      server.enqueue(.text("quick"))
      let log = CompletionLog()
      let session = URLSession(configuration: .testing())
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

  @Test func bytesAreCountedWithACompletionHandler() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Reply(body: .pattern(count: 1234)))
      let log = CompletionLog()
      let session = URLSession(configuration: .testing())
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
}
