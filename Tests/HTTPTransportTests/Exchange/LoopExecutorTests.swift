import LoadingModel
import NIOPosix
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct LoopExecutorTests {
  /// What happened, in order.
  private final class Record: Sendable {
    private let events = Mutex<[String]>([])
    var all: [String] { events.withLock(\.self) }
    func note(_ event: String) { events.withLock { $0.append(event) } }
  }

  @Test func wakesComeAfterTheJobsOfTheTurn() async throws {
    let executor = LoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
    let record = Record()
    await withCheckedContinuation { continuation in
      // From the loop itself, so that both are in one turn.
      executor.eventLoop.execute {
        executor.submit {
          executor.runAfterJobs { record.note("wake") }
          record.note("first")
        }
        executor.submit {
          record.note("second")
          executor.runAfterJobs { continuation.resume() }
        }
      }
    }
    #expect(record.all == ["first", "second", "wake"])
  }

  @Test func wakeThatLeadsToOthersIsRunOnce() async throws {
    let executor = LoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
    let record = Record()
    await withCheckedContinuation { continuation in
      executor.submit {
        executor.runAfterJobs {
          record.note("first")
          executor.runAfterJobs { record.note("third") }
          executor.runOffLoop { continuation.resume() }
        }
        executor.runAfterJobs { record.note("second") }
      }
    }
    #expect(record.all == ["first", "second", "third"])
  }

  @Test func wakeFromElsewhereIsAtOnce() async throws {
    let executor = LoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
    let record = Record()
    executor.runAfterJobs { record.note("another thread") }
    #expect(record.all == ["another thread"])
    // On the loop, but not in a turn of jobs: there is none to wait for.
    try await executor.eventLoop.submit { executor.runAfterJobs { record.note("the loop") } }.get()
    #expect(record.all == ["another thread", "the loop"])
  }

  /// Whether the caller comes back while the loop gives way to it, or later.
  @Test(.timeLimit(.minutes(10))) func callersOfLoadsThatEndOneAfterTheOtherAreAllServed() async throws {
    let executor = LoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
    for round in 0..<2000 {
      let result = await withCheckedContinuation { continuation in
        executor.submit {
          executor.loadBegan()
          executor.runOffLoop { continuation.resume(returning: round) }
          executor.loadEnded()
        }
      }
      #expect(result == round)
    }
  }
}
