import Dispatch
import Foundation
import LoadingModel
import NIOEmbedded
import Testing

@testable import HTTPTransport

/// Threads for blocking work.
@Suite(.timeLimit(.minutes(10))) struct WorkerThreadsTests {
  /// Work that runs until it is released.
  private final class Held: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    let begun = DispatchSemaphore(value: 0)

    func run() {
      begun.signal()
      gate.wait()
    }

    func release() { gate.signal() }
  }

  /// Returns once `work` has run on one of the threads.
  private func after(_ threads: WorkerThreads, _ work: @escaping @Sendable () -> Void = {}) async {
    await withCheckedContinuation { continuation in
      threads.submit {
        work()
        continuation.resume()
      }
    }
  }

  @Test func workOfOneThreadRunsInOrder() async {
    let threads = WorkerThreads("test", limit: 1)
    let order = Mutex<[Int]>([])
    for index in 0..<100 { threads.submit { order.withLock { $0.append(index) } } }
    await after(threads)
    #expect(order.withLock { $0 } == Array(0..<100))
  }

  @Test func blockedWorkLeavesTheOtherThreadsToOthers() async {
    let threads = WorkerThreads("test", limit: 2)
    let held = Held()
    threads.submit { held.run() }
    await after(threads)
    await after(threads)
    held.release()
  }

  @Test func noMoreThreadsRunThanTheLimit() async {
    let threads = WorkerThreads("test", limit: 2)
    let (first, second, third) = (Held(), Held(), Held())
    threads.submit { first.run() }
    threads.submit { second.run() }
    threads.submit { third.run() }
    await Task.detached { [first, second] in
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          first.begun.wait()
          second.begun.wait()
          continuation.resume()
        }
      }
    }.value
    #expect(third.begun.wait(timeout: .now()) == .timedOut)
    first.release()
    third.release()
    second.release()
    await after(threads)
  }

  @Test func errorsReachTheEventLoop() throws {
    struct Failure: Error {}
    let threads = WorkerThreads("test", limit: 1)
    let loop = NIOAsyncTestingEventLoop()
    let future = threads.run(on: loop) { throw Failure() }
    #expect(throws: Failure.self) { try future.wait() }
  }
}
