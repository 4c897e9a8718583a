#if Combine
  import OpenCombine

  /// The rules by which a publisher that joins several upstreams combines their values. A value type without locks and callbacks; `JoinSubscription`
  /// calls it under its lock, one call at a time.
  protocol JoinRules {
    /// A value of an upstream, marked with the upstream that it comes from.
    associatedtype Input
    /// The values that the join publishes.
    associatedtype Output
    /// What a value that is received takes the place of.
    associatedtype Replaced = Void

    /// The demand to request from each upstream when the subscriber requests `demand`.
    mutating func share(of demand: Subscribers.Demand) -> Subscribers.Demand

    /// Takes a value of an upstream. `limit` is the number of values that the subscriber still demands; nil if its demand is unlimited.
    ///
    /// Returns what the value has replaced: the join releases that after its lock, because the deinitializers of values are the app's code.
    mutating func receive(_ input: Input, limit: Int?) -> Replaced

    /// Called when the upstream at `index` has finished.
    mutating func finish(_ index: Int)

    /// Removes and returns the next value to publish; nil if there is none. `source` is the index of the upstream from which another value is to be
    /// requested for it; nil for rules that request all demand in advance.
    mutating func next() -> (output: Output, source: Int?)?

    /// Whether the join has finished: no value is waiting and no upstream can lead to another one.
    var isFinished: Bool { get }
  }
#endif
