import Foundation
import HTTPTransport
import LoadingModel
import NIOPosix
import Testing

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct AppWaitTests {
  private let executor = LoopExecutor(MultiThreadedEventLoopGroup.singleton.next())

  private struct StandingClock: LoadClock {
    var now: Instant { Instant(nanoseconds: 1_000_000_000) }
    func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) {}
  }

  private func context() -> LoadContext {
    let request = LoadRequest(url: URL(filePath: "/"))
    return LoadContext(executor: executor, clock: StandingClock(), request: request, idleTimeout: 60)
  }

  /// A disk that answers when the test says so.
  private final class HeldDisk: Sendable {
    private let begun = AsyncStream.makeStream(of: Void.self)
    private let answer = AsyncStream.makeStream(of: Int.self)
    @Sendable func read() async -> Int {
      begun.continuation.yield()
      for await value in answer.stream { return value }
      return 0
    }
    func hasBegun() async { for await _ in begun.stream { return } }
    func give(_ value: Int) { answer.continuation.yield(value) }
  }

  private func read(_ disk: HeldDisk, _ context: LoadContext) -> Task<Result<Int, LoadError>, Never> {
    Task(executorPreference: executor) {
      do throws(LoadError) { return .success(try await AppWait.disk(context, disk.read)) } catch { return .failure(error) }
    }
  }

  @Test func diskThatHangsDoesNotKeepAnInterruptedLoad() async throws {
    let (disk, context) = (HeldDisk(), context())
    let result = read(disk, context)
    await disk.hasBegun()
    executor.eventLoop.execute { context.interrupt(.cancelled()) }
    guard case .failure(let error) = await result.value else {
      Issue.record("the load went on")
      return
    }
    #expect(error.kind == .cancelled)
    // What comes too late is released.
    disk.give(1)
  }

  @Test func diskThatAnswersIsHeard() async throws {
    let (disk, context) = (HeldDisk(), context())
    let result = read(disk, context)
    await disk.hasBegun()
    disk.give(5)
    #expect(try await result.value.get() == 5)
  }

  @Test func interruptedLoadAsksNoDisk() async throws {
    let (disk, context) = (HeldDisk(), context())
    try await executor.eventLoop.submit { context.interrupt(.cancelled()) }.get()
    guard case .failure(let error) = await read(disk, context).value else {
      Issue.record("the disk was asked")
      return
    }
    #expect(error.kind == .cancelled)
  }
}
