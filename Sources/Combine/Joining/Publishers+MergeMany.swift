#if Combine
  import OpenCombine

  extension Publishers {
    /// The values of any number of publishers of one type as they come, until all have ended or one fails.
    public struct MergeMany<Upstream: Publisher>: Publisher {
      /// What is published.
      public typealias Output = Upstream.Output
      /// The first failure.
      public typealias Failure = Upstream.Failure

      /// The upstreams.
      public let publishers: [Upstream]

      /// Merges `upstream`.
      public init(_ upstream: Upstream...) { publishers = upstream }

      /// Merges the publishers in `upstream`.
      public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream { publishers = Array(upstream) }

      /// Subscribes to all of them. Without any it ends at once.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        guard !publishers.isEmpty else { return Empty<Output, Failure>().receive(subscriber: subscriber) }
        let count = publishers.count
        let join = JoinSubscription("MergeMany", MergeRules<Output>(of: count), of: count, downstream: subscriber)
        subscriber.receive(subscription: join)
        for (index, publisher) in publishers.enumerated() {
          join.subscribe(to: publisher, at: index) { (index, $0) }
        }
      }

      /// Merges another publisher as well.
      public func merge(with other: Upstream) -> MergeMany<Upstream> { MergeMany(publishers + [other]) }
    }
  }

  extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
#endif
