import HTTPTransport
import LoadingModel
import NIOCore

/// Tasks that run one load after another, so that a load costs neither a new task nor new stack for its frames.
///
/// Owned by the session; confined to its event loop. A parked worker refers to nothing but this pool.
final class LoadWorkers: @unchecked Sendable {
  // @unchecked: `executor` and `run` are immutable; the rest is confined to the event loop, which the methods assert.
  // `@exclusivity(unchecked)`: `parked` is changed by calls of the standard library alone, which call nothing back; the check would cost a
  // call of the runtime for each load.

  /// What runs one load to its end.
  typealias Run = @Sendable (LoadSession, Load, LoadRequest) async -> Void

  /// One load to run.
  struct Assignment: Sendable {
    let session: LoadSession
    let load: Load
    let request: LoadRequest
  }

  /// Workers kept without work.
  private static let parkedLimit = 128

  private let executor: LoopExecutor
  private let run: Run
  @exclusivity(unchecked) private var parked: [UnsafeContinuation<Assignment?, Never>] = []
  /// First loads of workers that are about to begin.
  private var unassigned = CircularBuffer<Assignment>()
  private var isDismissed = false

  init(executor: LoopExecutor, run: @escaping Run) {
    self.executor = executor
    self.run = run
  }

  /// Gives the load to a parked worker, or to a new one.
  func begin(_ assignment: Assignment) {
    assert(executor.eventLoop.inEventLoop)
    if let worker = parked.popLast() { return worker.resume(returning: assignment) }
    // A task keeps what it captures to its end: the first load is handed over rather than captured.
    unassigned.append(assignment)
    Task(executorPreference: executor) { [self] in
      // In the order of the calls: loads of one priority are served first come, first served.
      var next = unassigned.popFirst()
      while let current = next.take() {
        await run(current.session, current.load, current.request)
        next = await park(letting: consume current)
      }
    }
  }

  /// Waits for the next load; nil when the worker isn't needed any more.
  private func park(letting finished: consuming Assignment) async -> Assignment? {
    _ = consume finished
    guard parked.count < LoadWorkers.parkedLimit, !isDismissed else { return nil }
    return await withUnsafeContinuation { parked.append($0) }
  }

  /// The session has ended: ends the parked workers.
  func dismiss() {
    assert(executor.eventLoop.inEventLoop)
    isDismissed = true
    let workers = parked
    parked = []
    for worker in workers { worker.resume(returning: nil) }
  }
}
