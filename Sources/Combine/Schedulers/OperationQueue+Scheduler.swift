#if Combine
  import Dispatch
  import Foundation
  import OpenCombine

  extension OperationQueue: @retroactive Scheduler {
    /// A date.
    public typealias SchedulerTimeType = DateSchedulerTime

    /// Options of an operation queue as a scheduler, of which there are none.
    public struct SchedulerOptions: Sendable {}

    /// Now.
    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    /// The least tolerance: none.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs `action` as an operation of the queue.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      let action = ScheduledAction(run: action)
      addOperation { action.run() }
    }

    /// Runs `action` as an operation that is added to the queue at `date`.
    public func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
      let action = ScheduledAction(run: action)
      addOperation(at: date) { action.run() }
    }

    /// Runs `action` as an operation at `date` and then again `interval` after each run, until what is returned is cancelled or released.
    public func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      let repetition = Repetition(queue: self, interval: interval, action: ScheduledAction(run: action))
      repetition.plan(at: date)
      return AnyCancellable { repetition.cancel() }
    }

    fileprivate func addOperation(at date: SchedulerTimeType, _ action: @escaping @Sendable () -> Void) {
      PlannedOperations.shared.plan(action, on: self, at: date.date)
    }
  }

  /// An action that an operation queue runs again and again. Kept by what is planned next.
  private final class Repetition: @unchecked Sendable {
    // @unchecked: `action` is behind `lock`, the rest doesn't change.
    private let queue: OperationQueue
    private let interval: DateSchedulerTime.Stride
    private let lock = NSLock()
    /// nil once cancelled.
    private var action: ScheduledAction?

    init(queue: OperationQueue, interval: DateSchedulerTime.Stride, action: ScheduledAction) {
      (self.queue, self.interval, self.action) = (queue, interval, action)
    }

    func plan(at date: DateSchedulerTime) {
      queue.addOperation(at: date) { self.run() }
    }

    private func run() {
      guard let action = lock.withLock({ self.action }) else { return }
      action.run()
      // A pause of nothing would keep the queue busy with this action alone.
      plan(at: DateSchedulerTime(Date()).advanced(by: max(interval, .microseconds(1))))
    }

    func cancel() {
      _ = lock.withLock { () -> ScheduledAction? in
        defer { action = nil }
        return action
      }
    }
  }
#endif
