#if Combine
  import Dispatch
  import OpenCombine

  extension DispatchQueue: @retroactive Scheduler {
    /// How a dispatch queue runs scheduled actions.
    public struct SchedulerOptions {
      /// The quality of service of the actions.
      public var qos: DispatchQoS
      /// The flags of the actions' work items.
      public var flags: DispatchWorkItemFlags
      /// The dispatch group that the actions join; nil for none. Delayed and repeated actions don't join it.
      public var group: DispatchGroup?

      /// Options; by default, the queue's own quality of service, no flags and no group.
      public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
        (self.qos, self.flags, self.group) = (qos, flags, group)
      }
    }

    /// The current time.
    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

    /// The smallest tolerance that the scheduler supports: none.
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

    /// Runs `action` on the queue at `date` and then every `interval`, until the returned object is cancelled or released.
    public func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      let options = options ?? SchedulerOptions()
      let action = ScheduledAction(run: action)
      let timer = DispatchSource.makeTimerSource(queue: self)
      timer.setEventHandler(qos: options.qos, flags: options.flags) { action.run() }
      // The interval is at least a microsecond, because with 0 the queue would run nothing but this action.
      let interval = max(interval, .microseconds(1))
      timer.schedule(deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: max(tolerance, 0).timeInterval)
      timer.resume()
      return AnyCancellable { timer.cancel() }
    }
  }
#endif
