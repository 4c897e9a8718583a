// Written by scripts/tools/combine-arities.

#if Combine
  import OpenCombine

  extension Publisher {
    /// Publishes the values of this publisher and another one as they arrive.
    public func merge<B: Publisher>(with other: B) -> Publishers.Merge<Self, B>
    where Self.Failure == B.Failure, Self.Output == B.Output {
      Publishers.Merge(self, other)
    }

    /// Publishes the values of this publisher and two others as they arrive.
    public func merge<B: Publisher, C: Publisher>(with b: B, _ c: C) -> Publishers.Merge3<Self, B, C>
    where Self.Failure == B.Failure, Self.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output {
      Publishers.Merge3(self, b, c)
    }

    /// Publishes the values of this publisher and three others as they arrive.
    public func merge<B: Publisher, C: Publisher, D: Publisher>(with b: B, _ c: C, _ d: D) -> Publishers.Merge4<Self, B, C, D>
    where
      Self.Failure == B.Failure, Self.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output
    {
      Publishers.Merge4(self, b, c, d)
    }

    /// Publishes the values of this publisher and four others as they arrive.
    public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(with b: B, _ c: C, _ d: D, _ e: E)
      -> Publishers.Merge5<Self, B, C, D, E>
    where
      Self.Failure == B.Failure, Self.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output, D.Failure == E.Failure, D.Output == E.Output
    {
      Publishers.Merge5(self, b, c, d, e)
    }

    /// Publishes the values of this publisher and five others as they arrive.
    public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(with b: B, _ c: C, _ d: D, _ e: E, _ f: F)
      -> Publishers.Merge6<Self, B, C, D, E, F>
    where
      Self.Failure == B.Failure, Self.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output, D.Failure == E.Failure, D.Output == E.Output, E.Failure == F.Failure, E.Output == F.Output
    {
      Publishers.Merge6(self, b, c, d, e, f)
    }

    /// Publishes the values of this publisher and six others as they arrive.
    public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
      with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
    where
      Self.Failure == B.Failure, Self.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output, D.Failure == E.Failure, D.Output == E.Output, E.Failure == F.Failure, E.Output == F.Output,
      F.Failure == G.Failure, F.Output == G.Output
    {
      Publishers.Merge7(self, b, c, d, e, f, g)
    }

    /// Publishes the values of this publisher and seven others as they arrive.
    public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
      with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
    where
      Self.Failure == B.Failure, Self.Output == B.Output, B.Failure == C.Failure, B.Output == C.Output, C.Failure == D.Failure,
      C.Output == D.Output, D.Failure == E.Failure, D.Output == E.Output, E.Failure == F.Failure, E.Output == F.Output,
      F.Failure == G.Failure, F.Output == G.Output, G.Failure == H.Failure, G.Output == H.Output
    {
      Publishers.Merge8(self, b, c, d, e, f, g, h)
    }

    /// Publishes the values of this publisher and another one of the same type as they arrive.
    public func merge(with other: Self) -> Publishers.MergeMany<Self> {
      Publishers.MergeMany(self, other)
    }
  }
#endif
