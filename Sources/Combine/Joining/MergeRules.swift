#if Combine
  import OpenCombine

  /// The rules of `merge`: values are published in the order in which they arrive. If the demand isn't unlimited, each upstream is asked for one
  /// value, and for another one when that has been published, so that at most one value of each upstream waits.
  struct MergeRules<Value>: JoinRules {
    private var waiting = JoinQueue<(index: Int, value: Value)>()
    private var running: Int
    private var isUnlimited = false
    private var hasAsked = false

    init(of count: Int) { running = count }

    mutating func share(of demand: Subscribers.Demand) -> Subscribers.Demand {
      if demand == .unlimited { isUnlimited = true }
      defer { hasAsked = true }
      return isUnlimited ? .unlimited : hasAsked ? .none : .max(1)
    }

    mutating func receive(_ input: (index: Int, value: Value), limit: Int?) { waiting.append(input) }

    mutating func finish(_ index: Int) { running -= 1 }

    mutating func next() -> (output: Value, source: Int?)? {
      waiting.popFirst().map { ($0.value, isUnlimited ? nil : $0.index) }
    }

    var isFinished: Bool { running <= 0 && waiting.isEmpty }
  }
#endif
