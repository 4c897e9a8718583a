// Written by scripts/tools/combine-arities.

#if Combine
  import OpenCombine

  extension Publishers {
    /// When one of two publishers sends a value, publishes it with the latest values of the others, once all have sent one.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
      /// A tuple with one value of each upstream.
      public typealias Output = (A.Output, B.Output)
      /// The failure of the first upstream that fails.
      public typealias Failure = A.Failure

      /// The first upstream.
      public let a: A
      /// The second upstream.
      public let b: B

      /// Combines the latest values of two publishers.
      public init(_ a: A, _ b: B) {
        (self.a, self.b) = (a, b)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("CombineLatest", CombineLatestRules<A.Output, B.Output>(), of: 2, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { .first($0) }
        join.subscribe(to: b, at: 1) { .second($0) }
      }
    }

    /// When one of three publishers sends a value, publishes it with the latest values of the others, once all have sent one.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher where A.Failure == B.Failure, B.Failure == C.Failure {
      /// A tuple with one value of each upstream.
      public typealias Output = (A.Output, B.Output, C.Output)
      /// The failure of the first upstream that fails.
      public typealias Failure = A.Failure

      /// The first upstream.
      public let a: A
      /// The second upstream.
      public let b: B
      /// The third upstream.
      public let c: C

      /// Combines the latest values of three publishers.
      public init(_ a: A, _ b: B, _ c: C) {
        (self.a, self.b, self.c) = (a, b, c)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        Publishers.CombineLatest(Publishers.CombineLatest(a, b), c).map { ($0.0, $0.1, $1) }.receive(subscriber: subscriber)
      }
    }

    /// When one of four publishers sends a value, publishes it with the latest values of the others, once all have sent one.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
      /// A tuple with one value of each upstream.
      public typealias Output = (A.Output, B.Output, C.Output, D.Output)
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

      /// Combines the latest values of four publishers.
      public init(_ a: A, _ b: B, _ c: C, _ d: D) {
        (self.a, self.b, self.c, self.d) = (a, b, c, d)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        Publishers.CombineLatest(Publishers.CombineLatest(a, b), Publishers.CombineLatest(c, d)).map { ($0.0, $0.1, $1.0, $1.1) }.receive(
          subscriber: subscriber)
      }
    }
  }

  extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
  extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
  extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
#endif
