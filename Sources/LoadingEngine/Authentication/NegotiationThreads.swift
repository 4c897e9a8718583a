import HTTPTransport
import LoadingModel

/// The threads on which the steps of the system's GSSAPI library run.
///
/// A step can't be stopped: an abandoned one keeps its thread until it returns. When all threads are kept so, further steps fail at once instead
/// of waiting behind them.
package final class NegotiationThreads: Sendable {
  package static let shared = NegotiationThreads(BlockingThreads.negotiation, count: BlockingThreads.negotiationCount)

  private enum Progress {
    case queued
    case running
    /// The step runs, but its load no longer waits for it.
    case abandoned
    case over
  }

  private let pool: WorkerThreads
  private let count: Int
  private let abandoned = Mutex(0)

  package init(_ pool: WorkerThreads, count: Int) {
    self.pool = pool
    self.count = count
  }

  /// The result of `step`; nil if it takes longer than `seconds` by the load's clock, the load is interrupted, or no thread is free.
  package func run<Value: Sendable>(_ context: LoadContext, seconds: Double, _ step: @escaping @Sendable () -> Value) async -> Value? {
    guard abandoned.withLock({ $0 < count }) else { return nil }
    let progress = Step(Progress.queued)
    let value = try? await AppWait<Value?>.ask(context) { wait in
      pool.submit { [self] in
        guard progress.go(from: .queued, to: .running) else { return }
        let value = step()
        if !progress.go(from: .running, to: .over) { abandoned.withLock { $0 -= 1 } }
        wait.answer(value)
      }
      // The wait is captured weakly, because a wake can't be cancelled and would keep it alive until the deadline.
      context.clock.wake(at: context.clock.now.advanced(bySeconds: seconds)) { [weak wait] in wait?.answer(nil) }
    }
    if let value { return value }
    // Both are done under the lock, so that a step which ends at this moment decrements the count only after it has been incremented.
    abandoned.withLock { if progress.abandon() { $0 += 1 } }
    return nil
  }

  /// The progress of a step, which both its thread and its load may change.
  private final class Step: Sendable {
    private let value: Mutex<Progress>

    init(_ value: Progress) { self.value = Mutex(value) }

    /// Changes the progress from `old` to `new`; false, and no change, if it isn't `old`.
    func go(from old: Progress, to new: Progress) -> Bool {
      value.withLock { value in
        guard value == old else { return false }
        value = new
        return true
      }
    }

    /// Notes that the load no longer waits. Returns whether the step keeps its thread; one that hasn't begun will not run.
    func abandon() -> Bool {
      value.withLock { value in
        switch value {
        case .queued: value = .over
        case .running: value = .abandoned
        case .abandoned, .over: break
        }
        return value == .abandoned
      }
    }
  }
}
