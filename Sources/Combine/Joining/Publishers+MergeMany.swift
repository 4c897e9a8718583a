#if Combine
  import OpenCombine

  extension Publishers {
    /// Publishes the values of any number of publishers of one type as they arrive. Finishes when all have finished, fails when one fails.
    public struct MergeMany<Upstream: Publisher>: Publisher {
      /// The values of the upstreams.
      public typealias Output = Upstream.Output
      /// The failure of the first upstream that fails.
      public typealias Failure = Upstream.Failure

      /// The publishers whose values are published.
      public let publishers: [Upstream]

      /// Merges the publishers that are given as arguments.
      public init(_ upstream: Upstream...) { publishers = upstream }

      /// Merges the publishers in `upstream`.
      public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream { publishers = Array(upstream) }

      /// Subscribes to all upstreams. Without any, the publisher finishes at once.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        guard !publishers.isEmpty else { return Empty<Output, Failure>().receive(subscriber: subscriber) }
        let count = publishers.count
        let join = JoinSubscription("MergeMany", MergeRules<Output>(of: count), of: count, downstream: subscriber)
        subscriber.receive(subscription: join)
        for (index, publisher) in publishers.enumerated() {
          join.subscribe(to: publisher, at: index) { (index, $0) }
        }
      }

      /// A publisher that merges the values of another publisher too.
      public func merge(with other: Upstream) -> MergeMany<Upstream> { MergeMany(publishers + [other]) }
    }
  }

  extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
#endif
