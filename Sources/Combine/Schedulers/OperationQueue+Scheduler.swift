#if Combine
  import Dispatch
  import Foundation
  import OpenCombine

  extension OperationQueue: @retroactive Scheduler {
    /// The scheduler's times are dates.
    public typealias SchedulerTimeType = DateSchedulerTime

    /// The options of an operation queue as a scheduler; there are none.
    public struct SchedulerOptions: Sendable {}

    /// The current time.
    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    /// The smallest tolerance that the scheduler supports: none.
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

    /// Runs `action` as an operation at `date`, and again `interval` after the end of each run, until the returned object is cancelled or released.
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

  /// An action that an operation queue runs repeatedly. The closure of the next planned operation keeps it alive.
  private final class Repetition: @unchecked Sendable {
    // @unchecked: `action` is accessed under `lock`; all else is constant.
    private let queue: OperationQueue
    private let interval: DateSchedulerTime.Stride
    private let lock = NSLock()
    /// The action; nil when the repetition has been cancelled.
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
      // The pause is at least a microsecond, because with 0 the queue would run nothing but this action.
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
