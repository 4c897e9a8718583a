// Written by scripts/tools/combine-arities.

#if Combine
  import OpenCombine

  extension Publishers {
    /// Whenever one of them publishes, its value with the latest of the others, once all have one: of two publishers.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
      /// A value of each.
      public typealias Output = (A.Output, B.Output)
      /// The first failure.
      public typealias Failure = A.Failure

      /// An upstream.
      public let a: A
      /// An upstream.
      public let b: B

      /// Joins two publishers.
      public init(_ a: A, _ b: B) {
        (self.a, self.b) = (a, b)
      }

      /// Subscribes to all of them.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        let join = JoinSubscription("CombineLatest", CombineLatestRules<A.Output, B.Output>(), of: 2, downstream: subscriber)
        subscriber.receive(subscription: join)
        join.subscribe(to: a, at: 0) { .first($0) }
        join.subscribe(to: b, at: 1) { .second($0) }
      }
    }

    /// Whenever one of them publishes, its value with the latest of the others, once all have one: of three publishers.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher where A.Failure == B.Failure, B.Failure == C.Failure {
      /// A value of each.
      public typealias Output = (A.Output, B.Output, C.Output)
      /// The first failure.
      public typealias Failure = A.Failure

      /// An upstream.
      public let a: A
      /// An upstream.
      public let b: B
      /// An upstream.
      public let c: C

      /// Joins three publishers.
      public init(_ a: A, _ b: B, _ c: C) {
        (self.a, self.b, self.c) = (a, b, c)
      }

      /// Subscribes to all of them.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        Publishers.CombineLatest(Publishers.CombineLatest(a, b), c).map { ($0.0, $0.1, $1) }.receive(subscriber: subscriber)
      }
    }

    /// Whenever one of them publishes, its value with the latest of the others, once all have one: of four publishers.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
      /// A value of each.
      public typealias Output = (A.Output, B.Output, C.Output, D.Output)
      /// The first failure.
      public typealias Failure = A.Failure

      /// An upstream.
      public let a: A
      /// An upstream.
      public let b: B
      /// An upstream.
      public let c: C
      /// An upstream.
      public let d: D

      /// Joins four publishers.
      public init(_ a: A, _ b: B, _ c: C, _ d: D) {
        (self.a, self.b, self.c, self.d) = (a, b, c, d)
      }

      /// Subscribes to all of them.
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
