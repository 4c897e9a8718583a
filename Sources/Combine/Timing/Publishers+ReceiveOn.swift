#if Combine
  import OpenCombine

  extension Publishers {
    /// Publishes the events of its upstream on a scheduler, in the same order and one at a time, even if the scheduler is a concurrent queue.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
      /// The upstream's values.
      public typealias Output = Upstream.Output
      /// The upstream's failure.
      public typealias Failure = Upstream.Failure

      /// The publisher whose events are delivered on the scheduler.
      public let upstream: Upstream
      /// The scheduler on which the events are delivered.
      public let scheduler: Context
      /// The scheduler's options.
      public let options: Context.SchedulerOptions?

      /// A publisher of the events of `upstream` on `scheduler`.
      public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
        (self.upstream, self.scheduler, self.options) = (upstream, scheduler, options)
      }

      /// Subscribes to the upstream.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        upstream.subscribe(ScheduledDelivery(scheduler, options, downstream: subscriber))
      }
    }
  }

  extension CombinePublisher {
    /// Delivers values and the completion on `scheduler`. Demand and cancellation are passed upstream on the thread on which they are made.
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> Publishers.ReceiveOn<Self, S> {
      Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
  }
#endif
