#if Combine
  import OpenCombine

  extension Publishers {
    /// Publishes what its upstream does on a scheduler, in the same order, one event at a time, on concurrent queues too.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
      /// The upstream's.
      public typealias Output = Upstream.Output
      /// The upstream's.
      public typealias Failure = Upstream.Failure

      /// The upstream.
      public let upstream: Upstream
      /// Where its events are published.
      public let scheduler: Context
      /// The scheduler's options.
      public let options: Context.SchedulerOptions?

      /// A publisher of the events of `upstream` on `scheduler`.
      public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
        (self.upstream, self.scheduler, self.options) = (upstream, scheduler, options)
      }

      /// Subscribes.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        upstream.subscribe(ScheduledDelivery(scheduler, options, downstream: subscriber))
      }
    }
  }

  extension CombinePublisher {
    /// Publishes values and the end on `scheduler`. Demands and cancellation pass upstream where they are made.
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> Publishers.ReceiveOn<Self, S> {
      Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
  }
#endif
