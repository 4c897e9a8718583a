// Written by scripts/tools/combine-arities.

#if Combine
  import OpenCombine

  extension Publishers {
    /// Publishes the values of six publishers as they arrive. Finishes when all have finished, fails when one fails.
    public struct Merge6<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>: Publisher
    where
      A.Failure == B.Failure, A.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output, D.Failure == E.Failure, D.Output == E.Output, E.Failure == F.Failure, E.Output == F.Output
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
      /// The sixth upstream.
      public let f: F

      /// Merges six publishers.
      public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
        (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("Merge6", MergeRules<Output>(of: 6), of: 6, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { (0, $0) }
        join.subscribe(to: b, at: 1) { (1, $0) }
        join.subscribe(to: c, at: 2) { (2, $0) }
        join.subscribe(to: d, at: 3) { (3, $0) }
        join.subscribe(to: e, at: 4) { (4, $0) }
        join.subscribe(to: f, at: 5) { (5, $0) }
      }

      /// A publisher that merges the values of another publisher too.
      public func merge<Z: Publisher>(with other: Z) -> Merge7<A, B, C, D, E, F, Z>
      where F.Failure == Z.Failure, F.Output == Z.Output {
        Merge7(a, b, c, d, e, f, other)
      }
    }

    /// Publishes the values of seven publishers as they arrive. Finishes when all have finished, fails when one fails.
    public struct Merge7<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>: Publisher
    where
      A.Failure == B.Failure, A.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output, D.Failure == E.Failure, D.Output == E.Output, E.Failure == F.Failure, E.Output == F.Output,
      F.Failure == G.Failure, F.Output == G.Output
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
      /// The sixth upstream.
      public let f: F
      /// The seventh upstream.
      public let g: G

      /// Merges seven publishers.
      public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
        (self.a, self.b, self.c, self.d, self.e, self.f, self.g) = (a, b, c, d, e, f, g)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("Merge7", MergeRules<Output>(of: 7), of: 7, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { (0, $0) }
        join.subscribe(to: b, at: 1) { (1, $0) }
        join.subscribe(to: c, at: 2) { (2, $0) }
        join.subscribe(to: d, at: 3) { (3, $0) }
        join.subscribe(to: e, at: 4) { (4, $0) }
        join.subscribe(to: f, at: 5) { (5, $0) }
        join.subscribe(to: g, at: 6) { (6, $0) }
      }

      /// A publisher that merges the values of another publisher too.
      public func merge<Z: Publisher>(with other: Z) -> Merge8<A, B, C, D, E, F, G, Z>
      where G.Failure == Z.Failure, G.Output == Z.Output {
        Merge8(a, b, c, d, e, f, g, other)
      }
    }

    /// Publishes the values of eight publishers as they arrive. Finishes when all have finished, fails when one fails.
    public struct Merge8<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>:
      Publisher
    where
      A.Failure == B.Failure, A.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output, D.Failure == E.Failure, D.Output == E.Output, E.Failure == F.Failure, E.Output == F.Output,
      F.Failure == G.Failure, F.Output == G.Output, G.Failure == H.Failure, G.Output == H.Output
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
      /// The sixth upstream.
      public let f: F
      /// The seventh upstream.
      public let g: G
      /// The eighth upstream.
      public let h: H

      /// Merges eight publishers.
      public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) {
        (self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h) = (a, b, c, d, e, f, g, h)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("Merge8", MergeRules<Output>(of: 8), of: 8, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { (0, $0) }
        join.subscribe(to: b, at: 1) { (1, $0) }
        join.subscribe(to: c, at: 2) { (2, $0) }
        join.subscribe(to: d, at: 3) { (3, $0) }
        join.subscribe(to: e, at: 4) { (4, $0) }
        join.subscribe(to: f, at: 5) { (5, $0) }
        join.subscribe(to: g, at: 6) { (6, $0) }
        join.subscribe(to: h, at: 7) { (7, $0) }
      }
    }
  }

  extension Publishers.Merge6: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable {}
  extension Publishers.Merge7: Equatable
  where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}
  extension Publishers.Merge8: Equatable
  where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable, H: Equatable {}
#endif
