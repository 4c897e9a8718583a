#if Combine
  import Foundation
  import OpenCombine

  extension RunLoop: @retroactive Scheduler {
    /// The scheduler's times are dates.
    public typealias SchedulerTimeType = DateSchedulerTime

    /// The options of a run loop as a scheduler; there are none.
    public struct SchedulerOptions: Sendable {}

    /// The current time.
    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    /// The smallest tolerance that the scheduler supports: none.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs `action` on the run loop's thread, in its default mode, as soon as the loop runs.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      let action = ScheduledAction(run: action)
      perform { action.run() }
      // `perform` doesn't wake a waiting run loop, but adding a timer does.
      add(Timer(fire: .distantPast, interval: 0, repeats: false) { _ in }, forMode: .default)
    }

    /// Runs `action` on the run loop's thread, in its default mode, at `date` or later.
    public func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
      let action = ScheduledAction(run: action)
      let timer = Timer(fire: date.date, interval: 0, repeats: false) { _ in action.run() }
      timer.tolerance = max(0, tolerance.timeInterval)
      add(timer, forMode: .default)
    }

    /// Runs `action` on the run loop's thread, in its default mode, at `date` and then every `interval`, until the returned object is cancelled or
    /// released.
    public func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      let action = ScheduledAction(run: action)
      let timer = Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in action.run() }
      timer.tolerance = max(0, tolerance.timeInterval)
      add(timer, forMode: .default)
      return AnyCancellable { timer.invalidate() }
    }
  }
#endif
