#if Combine
  import Foundation
  import OpenCombine

  /// The subscription to a publisher that joins several upstreams: it subscribes to them and publishes what its rules make of their values.
  ///
  /// The upstreams may call from any thread at the same time. The first thread that has something to publish calls the subscriber, outside of the
  /// lock, until nothing is left to publish; values that other threads bring meanwhile are published by it too. So the subscriber is called by one
  /// thread at a time, may request and cancel during a call, and no thread waits for another.
  ///
  /// Owned by the subscriber and, until the end or `cancel()`, by the upstreams' subscriptions.
  final class JoinSubscription<Rules: JoinRules, Downstream: Subscriber>: Subscription, @unchecked Sendable
  where Downstream.Input == Rules.Output {
    // @unchecked: all variables are accessed under `lock`.
    private enum Step {
      case value(Downstream, Rules.Output, source: (any Subscription)?)
      case end(Downstream, Subscribers.Completion<Downstream.Failure>, cancelling: [any Subscription])
      case nothing
    }

    private let lock = NSLock()
    private let name: String
    private var rules: Rules
    /// The subscriber; nil when the join has ended or been cancelled.
    private var downstream: Downstream?
    /// The upstreams' subscriptions by index; nil before the upstream has sent its subscription, and after its end.
    private var upstreams: [(any Subscription)?]
    private var hasEnded: [Bool]
    private var demand = Subscribers.Demand.none
    /// The total demand requested from each upstream, which is also requested from upstreams whose subscription comes later.
    private var requested = Subscribers.Demand.none
    private var failure: Downstream.Failure?
    private var isDelivering = false

    init(_ name: String, _ rules: Rules, of count: Int, downstream: Downstream) {
      (self.name, self.rules, self.downstream) = (name, rules, downstream)
      (upstreams, hasEnded) = (Array(repeating: nil, count: count), Array(repeating: false, count: count))
    }

    // MARK: - Calls of the subscriber

    /// Requests more values. A demand of 0, which Combine forbids, is ignored.
    func request(_ demand: Subscribers.Demand) {
      guard demand > 0 else { return }
      add(demand)
      deliver()
    }

    func cancel() {
      // The subscriber is released after the lock, because its deinitializer may run the app's code.
      let (others, _) = lock.withLock { leave() }
      for upstream in others { upstream.cancel() }
    }

    private func add(_ more: Subscribers.Demand) {
      lock.lock()
      guard downstream != nil else { return lock.unlock() }
      demand += more
      let share = rules.share(of: more)
      requested += share
      let upstreams = upstreams
      lock.unlock()
      guard share > 0 else { return }
      for upstream in upstreams { upstream?.request(share) }
    }

    // MARK: - Calls of the upstreams

    /// Subscribes to the upstream at `index`, unless the join has already ended.
    func subscribe<Upstream: Publisher>(to upstream: Upstream, at index: Int, _ input: @escaping (Upstream.Output) -> Rules.Input)
    where Upstream.Failure == Downstream.Failure {
      guard lock.withLock({ downstream != nil }) else { return }
      upstream.subscribe(JoinInlet<Upstream, Rules, Downstream>(join: self, index: index, input: input))
    }

    func receive(_ subscription: any Subscription, at index: Int) {
      let demand = lock.withLock { () -> Subscribers.Demand? in
        guard downstream != nil, upstreams[index] == nil, !hasEnded[index] else { return nil }
        upstreams[index] = subscription
        return requested
      }
      guard let demand else { return subscription.cancel() }
      if demand > 0 { subscription.request(demand) }
    }

    func receive(_ input: Rules.Input) {
      // What the value has replaced is released after the lock, because its deinitializer is the app's code.
      _ = lock.withLock { downstream == nil ? nil : rules.receive(input, limit: demand.max) }
      deliver()
    }

    func receive(_ completion: Subscribers.Completion<Downstream.Failure>, at index: Int) {
      let ended = lock.withLock { () -> (any Subscription)? in
        guard !hasEnded[index] else { return nil }
        hasEnded[index] = true
        defer { upstreams[index] = nil }
        switch completion {
        case .finished: rules.finish(index)
        case .failure(let error): failure = failure ?? error
        }
        return upstreams[index]
      }
      withExtendedLifetime(ended) { deliver() }
    }

    // MARK: - Publishing

    private func deliver() {
      let isFirst = lock.withLock {
        defer { isDelivering = true }
        return !isDelivering
      }
      guard isFirst else { return }
      while true {
        switch nextStep() {
        case .value(let downstream, let value, let source):
          let more = downstream.receive(value)
          source?.request(.max(1))
          if more > 0 { add(more) }
        case .end(let downstream, let completion, let others):
          for upstream in others { upstream.cancel() }
          downstream.receive(completion: completion)
          return
        case .nothing:
          return
        }
      }
    }

    private func nextStep() -> Step {
      lock.withLock {
        guard let downstream else { return rest() }
        if let failure { return .end(downstream, .failure(failure), cancelling: leave().0) }
        if demand > 0, let (output, source) = rules.next() {
          demand -= 1
          return .value(downstream, output, source: source.flatMap { upstreams[$0] })
        }
        if rules.isFinished { return .end(downstream, .finished, cancelling: leave().0) }
        return rest()
      }
    }

    private func rest() -> Step {
      isDelivering = false
      return .nothing
    }

    private func leave() -> ([any Subscription], Downstream?) {
      defer {
        downstream = nil
        demand = .none
        upstreams = upstreams.map { _ in nil }
      }
      return (upstreams.compactMap { $0 }, downstream)
    }
  }

  extension JoinSubscription: CustomStringConvertible {
    var description: String { name }
  }
#endif
