#if Combine
  import Foundation
  import OpenCombine

  /// The subscription to a publisher that joins several others: subscribes to them, and publishes what its rules make of their values.
  ///
  /// The upstreams may call from any threads at once. The first thread that finds something to publish calls the subscriber, outside the lock,
  /// until nothing is left; what the others bring meanwhile is published by it. So the subscriber is called by one thread at a time, may
  /// demand and cancel while it is called, and no thread waits for another.
  ///
  /// Owned by the subscriber and, until the end or `cancel()`, by the upstreams' subscriptions.
  final class JoinSubscription<Rules: JoinRules, Downstream: Subscriber>: Subscription, @unchecked Sendable
  where Downstream.Input == Rules.Output {
    // @unchecked: everything that changes is behind `lock`.
    private enum Step {
      case value(Downstream, Rules.Output, source: (any Subscription)?)
      case end(Downstream, Subscribers.Completion<Downstream.Failure>, cancelling: [any Subscription])
      case nothing
    }

    private let lock = NSLock()
    private let name: String
    private var rules: Rules
    /// nil once the join has ended or was cancelled.
    private var downstream: Downstream?
    /// By index; nil before an upstream has subscribed and when it has ended.
    private var upstreams: [(any Subscription)?]
    private var hasEnded: [Bool]
    private var demand = Subscribers.Demand.none
    /// What each upstream has been asked for in all, for those that subscribe later.
    private var requested = Subscribers.Demand.none
    private var failure: Downstream.Failure?
    private var isDelivering = false

    init(_ name: String, _ rules: Rules, of count: Int, downstream: Downstream) {
      (self.name, self.rules, self.downstream) = (name, rules, downstream)
      (upstreams, hasEnded) = (Array(repeating: nil, count: count), Array(repeating: false, count: count))
    }

    // MARK: the subscriber

    /// A demand of nothing, which Combine forbids, is ignored.
    func request(_ demand: Subscribers.Demand) {
      guard demand > 0 else { return }
      add(demand)
      deliver()
    }

    func cancel() {
      // Released after the lock: the subscriber's deinitializer may be the app's code.
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

    // MARK: the upstreams

    /// Subscribes to the upstream at `index`, unless the join is over already.
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
      lock.withLock { if downstream != nil { rules.receive(input, limit: demand.max) } }
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

    // MARK: publishing

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
