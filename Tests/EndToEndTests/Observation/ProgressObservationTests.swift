import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ProgressObservationTests {
  @Test(arguments: Wire.allCases) func fractionGrowsToOne(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 500_000)))
      let log = CompletionLog()
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: server.url(), completionHandler: log.handler)
      let fraction = task.progress.log(\.fractionCompleted, options: [.initial, .old, .new])
      let nested = task.log(\.progress.completedUnitCount)
      let texts = task.progress.log(\.localizedDescription)
      let finished = task.progress.log(\.isFinished)
      task.resume()
      _ = await log.call()
      #expect(fraction.log.news.first == 0 && fraction.log.news.last == 1)
      #expect(fraction.log.news == fraction.log.news.sorted() && fraction.log.isUnbroken)
      #expect(nested.log.news.last == 500_000 && nested.log.isUnbroken)
      #expect(texts.log.news.last == "100% completed")
      #expect(finished.log.news == [true])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func cancellingAndPausingAreTold(_ wire: Wire) async throws {
    try await HeldTask.with(over: wire) { held async throws in
      let progress = held.task.progress
      let paused = progress.log(\.isPaused)
      let cancelled = held.task.log(\.progress.isCancelled)
      try await held.start()
      progress.pause()
      progress.resume()
      progress.cancel()
      _ = await held.log.call()
      #expect(paused.log.news.prefix(2) == [true, false])
      #expect(cancelled.log.news == [true])
    }
  }

  @Test(arguments: Wire.allCases) func progressOfTheAppThatATaskIsAPartOfIsTold(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let session = URLSession(configuration: configuration)
      let all = Progress(totalUnitCount: 2)
      let (log, observation) = all.log(\.fractionCompleted)
      let logs = [CompletionLog(), CompletionLog()]
      for completion in logs {
        server.enqueue(Reply(body: .pattern(count: 1000)))
        let task = session.dataTask(with: server.url(), completionHandler: completion.handler)
        all.addChild(task.progress, withPendingUnitCount: 1)
        task.resume()
        _ = await completion.call()
      }
      #expect(log.news.last == 1 && log.isUnbroken)
      #expect(log.news == log.news.sorted() && log.news.contains(0.5))
      observation.invalidate()
      session.invalidateAndCancel()
    }
  }

  @Test func descriptionsSayHowMuchIsThere() {
    let session = URLSession(configuration: .ephemeral)
    let progress = session.dataTask(with: URL(filePath: "/")).progress
    #expect(progress.localizedDescription == "")
    let (log, observation) = progress.log(\.localizedAdditionalDescription)
    progress.totalUnitCount = 2000
    progress.completedUnitCount = 500
    #expect(progress.localizedDescription == "25% completed")
    #expect(log.news.last == progress.localizedAdditionalDescription)
    #expect(log.news.count == 2)
    observation.invalidate()
    session.invalidateAndCancel()
  }
}
