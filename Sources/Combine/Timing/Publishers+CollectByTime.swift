#if Combine
  import OpenCombine

  extension Publishers {
    /// When `collect(_:options:)` publishes the collected values.
    public enum TimeGroupingStrategy<Context: Scheduler> {
      /// At the end of each interval.
      case byTime(Context, Context.SchedulerTimeType.Stride)
      /// At the end of each interval, and as soon as this many values have been collected.
      case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
    }

    /// Publishes the values of each interval as an array; an interval without values publishes nothing.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
      /// The values that were collected in an interval.
      public typealias Output = [Upstream.Output]
      /// The upstream's failure.
      public typealias Failure = Upstream.Failure

      /// The publisher whose values are collected.
      public let upstream: Upstream
      /// When the collected values are published.
      public let strategy: TimeGroupingStrategy<Context>
      /// The scheduler's options.
      public let options: Context.SchedulerOptions?

      /// A publisher that collects the values of `upstream` by time.
      public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
        (self.upstream, self.strategy, self.options) = (upstream, strategy, options)
      }

      /// Subscribes to the upstream; the first interval begins when it sends its subscription.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        upstream.subscribe(TimedCollection(strategy, options, downstream: subscriber))
      }
    }
  }

  extension Publisher {
    /// Publishes the values of each interval as an array. Values that remain when this publisher finishes are published before the completion; a
    /// failure drops them.
    public func collect<S: Scheduler>(
      _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
      Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
  }
#endif
