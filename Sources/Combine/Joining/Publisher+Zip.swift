// Written by scripts/tools/combine-arities.

#if Combine
  import OpenCombine

  extension CombinePublisher {
    /// Publishes tuples of the oldest unpublished values of this publisher and another.
    public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P>
    where Self.Failure == P.Failure {
      Publishers.Zip(self, other)
    }

    /// Publishes the results of `transform` for the oldest unpublished values of this publisher and another.
    public func zip<P: Publisher, T>(
      _ other: P, _ transform: @escaping (Self.Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where Self.Failure == P.Failure {
      zip(other).map { transform($0, $1) }
    }

    /// Publishes tuples of the oldest unpublished values of this publisher and two others.
    public func zip<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q) -> Publishers.Zip3<Self, P, Q>
    where Self.Failure == P.Failure, P.Failure == Q.Failure {
      Publishers.Zip3(self, publisher1, publisher2)
    }

    /// Publishes the results of `transform` for the oldest unpublished values of this publisher and two others.
    public func zip<P: Publisher, Q: Publisher, T>(
      _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Self.Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> where Self.Failure == P.Failure, P.Failure == Q.Failure {
      zip(publisher1, publisher2).map { transform($0, $1, $2) }
    }

    /// Publishes tuples of the oldest unpublished values of this publisher and three others.
    public func zip<P: Publisher, Q: Publisher, R: Publisher>(_ publisher1: P, _ publisher2: Q, _ publisher3: R)
      -> Publishers.Zip4<Self, P, Q, R>
    where Self.Failure == P.Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
      Publishers.Zip4(self, publisher1, publisher2, publisher3)
    }

    /// Publishes the results of `transform` for the oldest unpublished values of this publisher and three others.
    public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
      _ publisher1: P, _ publisher2: Q, _ publisher3: R, _ transform: @escaping (Self.Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T> where Self.Failure == P.Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
      zip(publisher1, publisher2, publisher3).map { transform($0, $1, $2, $3) }
    }
  }
#endif
