#if Combine
  import OpenCombine

  extension Publishers {
    /// When values that are collected by time are published.
    public enum TimeGroupingStrategy<Context: Scheduler> {
      /// After each interval.
      case byTime(Context, Context.SchedulerTimeType.Stride)
      /// After each interval, and as soon as there are so many.
      case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
    }

    /// Publishes the values of each interval as an array; an interval without values publishes nothing.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
      /// The values of an interval.
      public typealias Output = [Upstream.Output]
      /// The upstream's.
      public typealias Failure = Upstream.Failure

      /// The upstream.
      public let upstream: Upstream
      /// When values are published.
      public let strategy: TimeGroupingStrategy<Context>
      /// The scheduler's options.
      public let options: Context.SchedulerOptions?

      /// A publisher of the values of `upstream` by time.
      public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
        (self.upstream, self.strategy, self.options) = (upstream, strategy, options)
      }

      /// Subscribes.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        upstream.subscribe(TimedCollection(strategy, options, downstream: subscriber))
      }
    }
  }

  extension Publisher {
    /// Publishes the values of each interval as an array. What is left is published before the end; a failure drops it.
    public func collect<S: Scheduler>(
      _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
      Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
  }
#endif
