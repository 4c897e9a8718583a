import HTTPTransport
import LoadingModel

/// The threads on which the system's GSSAPI library works.
///
/// It can't be told to stop: an abandoned step keeps its thread. Once all threads are kept so, further steps are
/// refused at once instead of waiting behind them.
package final class NegotiationThreads: Sendable {
  package static let shared = NegotiationThreads(BlockingThreads.negotiation, count: BlockingThreads.negotiationCount)

  private enum Progress {
    case queued
    case running
    /// Runs, and was abandoned.
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

  /// What `step` returns; nil if it takes longer than `seconds` by the load's clock, the load is interrupted, or no thread is to be had.
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
      // A wake can't be taken back, and must not keep the wait alive.
      context.clock.wake(at: context.clock.now.advanced(bySeconds: seconds)) { [weak wait] in wait?.answer(nil) }
    }
    if let value { return value }
    // Under the lock, so that a step which ends now counts down after it has been counted.
    abandoned.withLock { if progress.abandon() { $0 += 1 } }
    return nil
  }

  /// How far a step has come, for the two that may end it.
  private final class Step: Sendable {
    private let value: Mutex<Progress>

    init(_ value: Progress) { self.value = Mutex(value) }

    /// False if it had come to something else.
    func go(from old: Progress, to new: Progress) -> Bool {
      value.withLock { value in
        guard value == old else { return false }
        value = new
        return true
      }
    }

    /// The load no longer waits; whether the step keeps a thread. One that hasn't begun never will.
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
