import Foundation
import HTTPTransport
import LoadingModel
import NIOPosix
import Testing

@testable import LoadingEngine

/// A library that can't be told to stop, and loads that don't wait for it without end.
@Suite(.timeLimit(.minutes(10))) struct NegotiationThreadsTests {
  private let executor = LoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
  private let clock = HandClock()
  private let pool = WorkerThreads("test", limit: 1)

  /// A clock whose wakes the test runs.
  private final class HandClock: LoadClock {
    private let wakes = Mutex<[@Sendable () -> Void]>([])
    var now: Instant { Instant(nanoseconds: 1_000_000_000) }
    func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) { wakes.withLock { $0.append(action) } }
    func runAll() {
      let due = wakes.withLock { wakes in
        defer { wakes = [] }
        return wakes
      }
      for wake in due { wake() }
    }
  }

  /// A step that takes until it is released.
  private final class HeldStep: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let begun = AsyncStream.makeStream(of: Void.self)

    @Sendable func run() -> Int {
      begun.continuation.yield()
      gate.wait()
      return 1
    }

    func hasBegun() async { for await _ in begun.stream { return } }
    func release() { gate.signal() }
  }

  private func context() -> LoadContext {
    let request = LoadRequest(url: URL(filePath: "/"))
    return LoadContext(executor: executor, clock: clock, request: request, idleTimeout: 60)
  }

  private func begin(
    _ threads: NegotiationThreads, _ context: LoadContext, _ step: @escaping @Sendable () -> Int
  ) -> Task<Int?, Never> {
    Task(executorPreference: executor) { await threads.run(context, seconds: 30, step) }
  }

  /// Returns once the event loop has come to the end of what it had to do.
  private func turn() async throws { try await executor.eventLoop.submit {}.get() }

  /// Returns once the thread has come to the end of what it had to do.
  private func drain() async throws { try await pool.run(on: executor.eventLoop) {}.get() }

  @Test func stepIsAnswered() async throws {
    let threads = NegotiationThreads(pool, count: 1)
    #expect(await begin(threads, context()) { 7 }.value == 7)
  }

  @Test func stepThatTakesTooLongKeepsItsThreadAndOthersAreRefused() async throws {
    let (threads, held) = (NegotiationThreads(pool, count: 1), HeldStep())
    let first = begin(threads, context(), held.run)
    await held.hasBegun()
    try await turn()
    clock.runAll()
    #expect(await first.value == nil)
    // Refused at once: nothing waits behind the thread that is kept.
    let ran = Mutex(false)
    let second = begin(threads, context()) {
      ran.withLock { $0 = true }
      return 2
    }
    #expect(await second.value == nil)
    held.release()
    try await drain()
    #expect(!ran.withLock { $0 })
    #expect(await begin(threads, context()) { 3 }.value == 3)
  }

  @Test func stepThatWasGivenUpInLineNeverBegins() async throws {
    let (threads, held) = (NegotiationThreads(pool, count: 2), HeldStep())
    let first = begin(threads, context(), held.run)
    await held.hasBegun()
    let ran = Mutex(false)
    let second = begin(threads, context()) {
      ran.withLock { $0 = true }
      return 2
    }
    try await turn()
    clock.runAll()
    #expect(await first.value == nil)
    #expect(await second.value == nil)
    held.release()
    try await drain()
    #expect(!ran.withLock { $0 })
    // It kept no thread: were it counted, two would be missing now.
    for number in 0..<3 { #expect(await begin(threads, context()) { number }.value == number) }
  }

  @Test func interruptedLoadWaitsNoLonger() async throws {
    let (threads, held, context) = (NegotiationThreads(pool, count: 1), HeldStep(), context())
    let first = begin(threads, context, held.run)
    await held.hasBegun()
    executor.eventLoop.execute { context.interrupt(.cancelled()) }
    #expect(await first.value == nil)
    // A load that has ended asks nothing more.
    #expect(await begin(NegotiationThreads(pool, count: 1), context) { 2 }.value == nil)
    held.release()
    try await drain()
    #expect(await begin(threads, self.context()) { 3 }.value == 3)
  }

  /// The answer and the end of the wait can come at once: whichever is first, the thread is free again.
  @Test func answersThatComeAsTheWaitEndsLeaveTheThreadsFree() async throws {
    let threads = NegotiationThreads(pool, count: 1)
    for number in 0..<200 {
      let held = HeldStep()
      let step = begin(threads, context(), held.run)
      await held.hasBegun()
      try await turn()
      async let released: Void = held.release()
      clock.runAll()
      await released
      let value = await step.value
      #expect(value == nil || value == 1)
      try await drain()
      #expect(await begin(threads, context()) { number }.value == number)
    }
  }
}
