#if Combine
  import OpenCombine

  /// The rules of `combineLatest`: each value of an upstream is published with the latest value of the other one. The join finishes when both
  /// upstreams have finished, or when one finishes without ever having sent a value.
  struct CombineLatestRules<First, Second>: JoinRules {
    private var first: First?
    private var second: Second?
    private var hasEnded = (first: false, second: false)
    private var waiting = JoinQueue<(First, Second)>()

    mutating func share(of demand: Subscribers.Demand) -> Subscribers.Demand { demand }

    mutating func receive(_ input: Either<First, Second>, limit: Int?) -> (latest: (First?, Second?), pair: (First, Second)?) {
      let latest = (first, second)
      switch input {
      case .first(let value): first = value
      case .second(let value): second = value
      }
      guard let first, let second else { return (latest, nil) }
      // If the subscriber has no demand for a pair that is waiting, a newer pair replaces it.
      return (latest, waiting.append((first, second), limit: limit))
    }

    mutating func finish(_ index: Int) {
      if index == 0 { hasEnded.first = true } else { hasEnded.second = true }
    }

    mutating func next() -> (output: (First, Second), source: Int?)? { waiting.popFirst().map { ($0, nil) } }

    var isFinished: Bool {
      let isHopeless = hasEnded.first && first == nil || hasEnded.second && second == nil
      return waiting.isEmpty && (isHopeless || hasEnded.first && hasEnded.second)
    }
  }
#endif
