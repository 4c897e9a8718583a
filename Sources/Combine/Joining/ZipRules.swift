#if Combine
  import OpenCombine

  /// A value of either of two upstreams.
  enum Either<First, Second> {
    case first(First)
    case second(Second)
  }

  /// The rules of `zip`: the oldest unpublished value of one upstream is published with that of the other. The join finishes when an upstream has
  /// finished and none of its values is waiting.
  struct ZipRules<First, Second>: JoinRules {
    private var first = JoinQueue<First>()
    private var second = JoinQueue<Second>()
    private var hasEnded = (first: false, second: false)

    mutating func share(of demand: Subscribers.Demand) -> Subscribers.Demand { demand }

    mutating func receive(_ input: Either<First, Second>, limit: Int?) {
      switch input {
      case .first(let value): first.append(value)
      case .second(let value): second.append(value)
      }
    }

    mutating func finish(_ index: Int) {
      if index == 0 { hasEnded.first = true } else { hasEnded.second = true }
    }

    mutating func next() -> (output: (First, Second), source: Int?)? {
      guard !first.isEmpty, !second.isEmpty, let one = first.popFirst(), let other = second.popFirst() else { return nil }
      return ((one, other), nil)
    }

    var isFinished: Bool { hasEnded.first && first.isEmpty || hasEnded.second && second.isEmpty }
  }
#endif
