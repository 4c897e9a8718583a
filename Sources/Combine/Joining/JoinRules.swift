#if Combine
  import OpenCombine

  /// What a publisher that joins several others makes of their values. A value without locks or callbacks; `JoinSubscription` asks it, one call at
  /// a time.
  protocol JoinRules {
    /// A value, with what says which upstream it is of.
    associatedtype Input
    /// What the join publishes.
    associatedtype Output

    /// What each upstream is asked for when the subscriber asks for `demand`.
    mutating func share(of demand: Subscribers.Demand) -> Subscribers.Demand

    /// A value came. `limit` is how many the subscriber still takes; nil for any number.
    mutating func receive(_ input: Input, limit: Int?)

    /// The upstream at `index` has ended.
    mutating func finish(_ index: Int)

    /// Takes the next value to be published; nil if there is none. `source` is the upstream that may send another for it, where upstreams are
    /// asked one by one.
    mutating func next() -> (output: Output, source: Int?)?

    /// Whether no value is left and none can come.
    var isFinished: Bool { get }
  }
#endif
