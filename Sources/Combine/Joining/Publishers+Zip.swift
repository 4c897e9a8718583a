// Written by scripts/tools/combine-arities.

#if Combine
  import OpenCombine

  extension Publishers {
    /// Publishes the oldest unpublished values of two publishers together, as soon as each has one.
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
      /// A tuple with one value of each upstream.
      public typealias Output = (A.Output, B.Output)
      /// The failure of the first upstream that fails.
      public typealias Failure = A.Failure

      /// The first upstream.
      public let a: A
      /// The second upstream.
      public let b: B

      /// Zips two publishers.
      public init(_ a: A, _ b: B) {
        (self.a, self.b) = (a, b)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("Zip", ZipRules<A.Output, B.Output>(), of: 2, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { .first($0) }
        join.subscribe(to: b, at: 1) { .second($0) }
      }
    }

    /// Publishes the oldest unpublished values of three publishers together, as soon as each has one.
    public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher where A.Failure == B.Failure, B.Failure == C.Failure {
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

      /// Zips three publishers.
      public init(_ a: A, _ b: B, _ c: C) {
        (self.a, self.b, self.c) = (a, b, c)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        Zip(Zip(a, b), c).map { ($0.0, $0.1, $1) }.receive(subscriber: subscriber)
      }
    }

    /// Publishes the oldest unpublished values of four publishers together, as soon as each has one.
    public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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

      /// Zips four publishers.
      public init(_ a: A, _ b: B, _ c: C, _ d: D) {
        (self.a, self.b, self.c, self.d) = (a, b, c, d)
      }

      /// Subscribes to all upstreams.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        Zip(Zip(a, b), Zip(c, d)).map { ($0.0, $0.1, $1.0, $1.1) }.receive(subscriber: subscriber)
      }
    }
  }

  extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
  extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
  extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
#endif
