#if Combine
  import OpenCombine

  /// The subscriber of one upstream of a join. It keeps a strong reference to the join, so that an upstream can still deliver events that come late.
  final class JoinInlet<Upstream: Publisher, Rules: JoinRules, Downstream: Subscriber>: Subscriber
  where Downstream.Input == Rules.Output, Downstream.Failure == Upstream.Failure {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    private let join: JoinSubscription<Rules, Downstream>
    private let index: Int
    private let input: (Upstream.Output) -> Rules.Input

    init(join: JoinSubscription<Rules, Downstream>, index: Int, input: @escaping (Upstream.Output) -> Rules.Input) {
      (self.join, self.index, self.input) = (join, index, input)
    }

    func receive(subscription: any Subscription) { join.receive(subscription, at: index) }

    func receive(_ value: Input) -> Subscribers.Demand {
      join.receive(input(value))
      // The join requests more values from its upstreams itself, so no demand is returned here.
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) { join.receive(completion, at: index) }
  }
#endif
