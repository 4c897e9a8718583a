// Written by scripts/tools/combine-arities.

#if Combine
  import OpenCombine

  extension Publisher {
    /// Publishes tuples of the latest values of this publisher and another.
    public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
    where Self.Failure == P.Failure {
      Publishers.CombineLatest(self, other)
    }

    /// Publishes the results of `transform` for the latest values of this publisher and another.
    public func combineLatest<P: Publisher, T>(
      _ other: P, _ transform: @escaping (Self.Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where Self.Failure == P.Failure {
      combineLatest(other).map { transform($0, $1) }
    }

    /// Publishes tuples of the latest values of this publisher and two others.
    public func combineLatest<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q) -> Publishers.CombineLatest3<Self, P, Q>
    where Self.Failure == P.Failure, P.Failure == Q.Failure {
      Publishers.CombineLatest3(self, publisher1, publisher2)
    }

    /// Publishes the results of `transform` for the latest values of this publisher and two others.
    public func combineLatest<P: Publisher, Q: Publisher, T>(
      _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Self.Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where Self.Failure == P.Failure, P.Failure == Q.Failure {
      combineLatest(publisher1, publisher2).map { transform($0, $1, $2) }
    }

    /// Publishes tuples of the latest values of this publisher and three others.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(_ publisher1: P, _ publisher2: Q, _ publisher3: R)
      -> Publishers.CombineLatest4<Self, P, Q, R>
    where Self.Failure == P.Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
      Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
    }

    /// Publishes the results of `transform` for the latest values of this publisher and three others.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
      _ publisher1: P, _ publisher2: Q, _ publisher3: R, _ transform: @escaping (Self.Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
    where Self.Failure == P.Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
      combineLatest(publisher1, publisher2, publisher3).map { transform($0, $1, $2, $3) }
    }
  }
#endif
