#if Combine
  import OpenCombine

  /// Combine latest: whenever a value comes, it with the other upstream's latest. It ends when both have ended, or one without ever having had a
  /// value.
  struct CombineLatestRules<First, Second>: JoinRules {
    private var first: First?
    private var second: Second?
    private var hasEnded = (first: false, second: false)
    private var waiting = JoinQueue<(First, Second)>()

    mutating func share(of demand: Subscribers.Demand) -> Subscribers.Demand { demand }

    mutating func receive(_ input: Either<First, Second>, limit: Int?) {
      switch input {
      case .first(let value): first = value
      case .second(let value): second = value
      }
      guard let first, let second else { return }
      // What the subscriber doesn't take is replaced by what is newer.
      if let limit, waiting.count >= max(1, limit) { waiting.removeLast() }
      waiting.append((first, second))
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
