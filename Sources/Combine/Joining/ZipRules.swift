#if Combine
  import OpenCombine

  /// A value of one of two upstreams.
  enum Either<First, Second> {
    case first(First)
    case second(Second)
  }

  /// Zip: the oldest value of one upstream with the oldest of the other. It ends when an upstream has ended and none of its values waits.
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
