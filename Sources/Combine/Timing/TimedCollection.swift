#if Combine
  import Foundation
  import OpenCombine

  /// Collects the values of an upstream and publishes them as arrays by time. It is the upstream's subscriber and the downstream's subscription.
  ///
  /// The upstream's thread and the scheduler's thread may call at the same time; a thread that publishes holds `calling`.
  final class TimedCollection<Value, Context: Scheduler, Downstream: Subscriber>: Subscriber, Subscription, @unchecked Sendable
  where Downstream.Input == [Value] {
    // @unchecked: all variables are accessed under `lock`.
    typealias Input = Value
    typealias Failure = Downstream.Failure

    private let scheduler: Context
    private let interval: Context.SchedulerTimeType.Stride
    private let limit: Int?
    private let options: Context.SchedulerOptions?
    private let lock = NSLock()
    /// Held while the subscriber is called. Recursive, because a subscriber may request or cancel during a call.
    private let calling = NSRecursiveLock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var timer: (any Cancellable)?
    private var values: [Value] = []
    private var demand = Subscribers.Demand.none

    init(_ strategy: Publishers.TimeGroupingStrategy<Context>, _ options: Context.SchedulerOptions?, downstream: Downstream) {
      switch strategy {
      case .byTime(let scheduler, let interval): (self.scheduler, self.interval, limit) = (scheduler, interval, nil)
      case .byTimeOrCount(let scheduler, let interval, let count):
        (self.scheduler, self.interval, limit) = (scheduler, interval, max(1, count))
      }
      (self.options, self.downstream) = (options, downstream)
    }

    func receive(subscription: any Subscription) {
      let downstream = lock.withLock { () -> Downstream? in
        guard upstream == nil else { return nil }
        upstream = subscription
        return self.downstream
      }
      guard let downstream else { return subscription.cancel() }
      let start = scheduler.now.advanced(by: interval)
      let timer = scheduler.schedule(after: start, interval: interval, tolerance: scheduler.minimumTolerance, options: options) {
        [weak self] in
        self?.publish()
      }
      lock.withLock { self.timer = timer }
      downstream.receive(subscription: self)
      subscription.request(.unlimited)
    }

    func receive(_ value: Value) -> Subscribers.Demand {
      let isFull = lock.withLock {
        guard downstream != nil else { return false }
        values.append(value)
        return limit.map { values.count >= $0 } ?? false
      }
      if isFull { publish() }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      calling.lock()
      defer { calling.unlock() }
      if case .finished = completion { publish() }
      let left = lock.withLock { leave() }
      left.timer?.cancel()
      left.downstream?.receive(completion: completion)
    }

    /// Publishes the collected values, if there are any and the subscriber demands an array.
    private func publish() {
      calling.lock()
      defer { calling.unlock() }
      let (downstream, values) = lock.withLock { () -> (Downstream?, [Value]) in
        guard demand > 0, !self.values.isEmpty, let downstream = self.downstream else { return (nil, []) }
        demand -= 1
        defer { self.values = [] }
        return (downstream, self.values)
      }
      if let downstream { request(downstream.receive(values)) }
    }

    func request(_ demand: Subscribers.Demand) {
      lock.withLock { if downstream != nil { self.demand += demand } }
    }

    func cancel() {
      let left = lock.withLock { leave() }
      left.timer?.cancel()
      left.upstream?.cancel()
    }

    /// Returns all that was held: it is released after the lock, because deinitializers may run the app's code.
    private func leave() -> (downstream: Downstream?, upstream: (any Subscription)?, timer: (any Cancellable)?, values: [Value]) {
      defer { (downstream, upstream, timer, values, demand) = (nil, nil, nil, [], .none) }
      return (downstream, upstream, timer, values)
    }
  }
#endif
