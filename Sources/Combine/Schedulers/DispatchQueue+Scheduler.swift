#if Combine
  import Dispatch
  import OpenCombine

  extension DispatchQueue: @retroactive Scheduler {
    /// How a dispatch queue runs what is scheduled.
    public struct SchedulerOptions {
      /// The quality of service.
      public var qos: DispatchQoS
      /// Flags of the work items.
      public var flags: DispatchWorkItemFlags
      /// The group that the actions belong to; nil for none.
      public var group: DispatchGroup?

      /// Options; by default those of the queue.
      public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
        (self.qos, self.flags, self.group) = (qos, flags, group)
      }
    }

    /// Now.
    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

    /// The least tolerance: none.
    public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

    /// Runs `action` on the queue.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      let options = options ?? SchedulerOptions()
      let action = ScheduledAction(run: action)
      async(group: options.group, qos: options.qos, flags: options.flags) { action.run() }
    }

    /// Runs `action` on the queue at `date` or later.
    public func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
      let options = options ?? SchedulerOptions()
      let action = ScheduledAction(run: action)
      asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags) { action.run() }
    }

    /// Runs `action` on the queue at `date` and then every `interval`, until what is returned is cancelled or released.
    public func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      let options = options ?? SchedulerOptions()
      let action = ScheduledAction(run: action)
      let timer = DispatchSource.makeTimerSource(queue: self)
      timer.setEventHandler(qos: options.qos, flags: options.flags) { action.run() }
      // An interval of nothing would keep the queue busy with this action alone.
      let interval = max(interval, .microseconds(1))
      timer.schedule(deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: max(tolerance, 0).timeInterval)
      timer.resume()
      return AnyCancellable { timer.cancel() }
    }
  }
#endif
