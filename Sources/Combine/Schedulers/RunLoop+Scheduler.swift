#if Combine
  import Foundation
  import OpenCombine

  extension RunLoop: @retroactive Scheduler {
    /// A date.
    public typealias SchedulerTimeType = DateSchedulerTime

    /// Options of a run loop as a scheduler, of which there are none.
    public struct SchedulerOptions: Sendable {}

    /// Now.
    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    /// The least tolerance: none.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs `action` on the run loop's thread, in its default mode, as soon as that runs.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      let action = ScheduledAction(run: action)
      perform { action.run() }
      // `perform` doesn't wake a run loop that waits; a timer does.
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

    /// Runs `action` on the run loop's thread, in its default mode, at `date` and then every `interval`, until what is returned is cancelled or
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
