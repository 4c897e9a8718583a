import HTTPTransport
import LoadingModel
import NIOCore

/// Swift tasks that run one load after another, so that a load needs neither a new task nor new memory for its stack frames.
///
/// Owned by the session; confined to its event loop. A worker without work refers only to this object.
final class LoadWorkers: @unchecked Sendable {
  // @unchecked: `executor` and `run` are immutable; the rest is confined to the event loop, which the methods assert. `@exclusivity(unchecked)`:
  // `parked` is changed only by calls of the standard library, which call nothing back; the check would cost a call of the runtime for each load.

  /// Runs one load to its end.
  typealias Run = @Sendable (LoadSession, Load, LoadRequest) async -> Void

  /// One load to run.
  struct Assignment: Sendable {
    let session: LoadSession
    let load: Load
    let request: LoadRequest
  }

  /// The most workers that are kept without work.
  private static let parkedLimit = 128

  private let executor: LoopExecutor
  private let run: Run
  @exclusivity(unchecked) private var parked: [UnsafeContinuation<Assignment?, Never>] = []
  /// The first loads of workers that are about to begin.
  private var unassigned = CircularBuffer<Assignment>()
  private var isDismissed = false

  init(executor: LoopExecutor, run: @escaping Run) {
    self.executor = executor
    self.run = run
  }

  /// Gives the load to a worker without work, or to a new one.
  func begin(_ assignment: Assignment) {
    assert(executor.eventLoop.inEventLoop)
    if let worker = parked.popLast() { return worker.resume(returning: assignment) }
    // The first load is passed through `unassigned`, because a task would keep a captured one until its end.
    unassigned.append(assignment)
    Task(executorPreference: executor) { [self] in
      // New workers begin in the order of the calls, so that loads of one priority are served in the order of arrival.
      var next = unassigned.popFirst()
      while let current = next.take() {
        await run(current.session, current.load, current.request)
        next = await park(letting: consume current)
      }
    }
  }

  /// Waits for the next load; nil if the worker is to end.
  private func park(letting finished: consuming Assignment) async -> Assignment? {
    _ = consume finished
    guard parked.count < LoadWorkers.parkedLimit, !isDismissed else { return nil }
    return await withUnsafeContinuation { parked.append($0) }
  }

  /// Ends the workers without work, because the session has ended.
  func dismiss() {
    assert(executor.eventLoop.inEventLoop)
    isDismissed = true
    let workers = parked
    parked = []
    for worker in workers { worker.resume(returning: nil) }
  }
}
