// Written by scripts/tools/combine-arities.

#if Combine
  import OpenCombine

  extension Publishers {
    /// Publishes the values of two publishers as they arrive. Finishes when all have finished, fails when one fails.
    public struct Merge<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure, A.Output == B.Output {
      /// The values of the upstreams.
      public typealias Output = A.Output
      /// The failure of the first upstream that fails.
      public typealias Failure = A.Failure

      /// The first upstream.
      public let a: A
      /// The second upstream.
      public let b: B

      /// Merges two publishers.
      public init(_ a: A, _ b: B) {
        (self.a, self.b) = (a, b)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("Merge", MergeRules<Output>(of: 2), of: 2, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { (0, $0) }
        join.subscribe(to: b, at: 1) { (1, $0) }
      }

      /// A publisher that merges the values of another publisher too.
      public func merge<Z: Publisher>(with other: Z) -> Merge3<A, B, Z>
      where B.Failure == Z.Failure, B.Output == Z.Output {
        Merge3(a, b, other)
      }
    }

    /// Publishes the values of three publishers as they arrive. Finishes when all have finished, fails when one fails.
    public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, A.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output {
      /// The values of the upstreams.
      public typealias Output = A.Output
      /// The failure of the first upstream that fails.
      public typealias Failure = A.Failure

      /// The first upstream.
      public let a: A
      /// The second upstream.
      public let b: B
      /// The third upstream.
      public let c: C

      /// Merges three publishers.
      public init(_ a: A, _ b: B, _ c: C) {
        (self.a, self.b, self.c) = (a, b, c)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("Merge3", MergeRules<Output>(of: 3), of: 3, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { (0, $0) }
        join.subscribe(to: b, at: 1) { (1, $0) }
        join.subscribe(to: c, at: 2) { (2, $0) }
      }

      /// A publisher that merges the values of another publisher too.
      public func merge<Z: Publisher>(with other: Z) -> Merge4<A, B, C, Z>
      where C.Failure == Z.Failure, C.Output == Z.Output {
        Merge4(a, b, c, other)
      }
    }

    /// Publishes the values of four publishers as they arrive. Finishes when all have finished, fails when one fails.
    public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where
      A.Failure == B.Failure, A.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output
    {
      /// The values of the upstreams.
      public typealias Output = A.Output
      /// The failure of the first upstream that fails.
      public typealias Failure = A.Failure

      /// The first upstream.
      public let a: A
      /// The second upstream.
      public let b: B
      /// The third upstream.
      public let c: C
      /// The fourth upstream.
      public let d: D

      /// Merges four publishers.
      public init(_ a: A, _ b: B, _ c: C, _ d: D) {
        (self.a, self.b, self.c, self.d) = (a, b, c, d)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("Merge4", MergeRules<Output>(of: 4), of: 4, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { (0, $0) }
        join.subscribe(to: b, at: 1) { (1, $0) }
        join.subscribe(to: c, at: 2) { (2, $0) }
        join.subscribe(to: d, at: 3) { (3, $0) }
      }

      /// A publisher that merges the values of another publisher too.
      public func merge<Z: Publisher>(with other: Z) -> Merge5<A, B, C, D, Z>
      where D.Failure == Z.Failure, D.Output == Z.Output {
        Merge5(a, b, c, d, other)
      }
    }

    /// Publishes the values of five publishers as they arrive. Finishes when all have finished, fails when one fails.
    public struct Merge5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>: Publisher
    where
      A.Failure == B.Failure, A.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output, D.Failure == E.Failure, D.Output == E.Output
    {
      /// The values of the upstreams.
      public typealias Output = A.Output
      /// The failure of the first upstream that fails.
      public typealias Failure = A.Failure

      /// The first upstream.
      public let a: A
      /// The second upstream.
      public let b: B
      /// The third upstream.
      public let c: C
      /// The fourth upstream.
      public let d: D
      /// The fifth upstream.
      public let e: E

      /// Merges five publishers.
      public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
        (self.a, self.b, self.c, self.d, self.e) = (a, b, c, d, e)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("Merge5", MergeRules<Output>(of: 5), of: 5, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { (0, $0) }
        join.subscribe(to: b, at: 1) { (1, $0) }
        join.subscribe(to: c, at: 2) { (2, $0) }
        join.subscribe(to: d, at: 3) { (3, $0) }
        join.subscribe(to: e, at: 4) { (4, $0) }
      }

      /// A publisher that merges the values of another publisher too.
      public func merge<Z: Publisher>(with other: Z) -> Merge6<A, B, C, D, E, Z>
      where E.Failure == Z.Failure, E.Output == Z.Output {
        Merge6(a, b, c, d, e, other)
      }
    }
  }

  extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}
  extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
  extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
  extension Publishers.Merge5: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}
#endif
