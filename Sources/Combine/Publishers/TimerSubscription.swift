#if Combine
  import Foundation
  import OpenCombine

  /// One subscription to the dates of a timer. A date without demand is dropped. The publisher keeps the subscription until it is cancelled.
  final class TimerSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable
  where Downstream.Input == Date, Downstream.Failure == Never {
    // @unchecked: all variables are accessed under `lock`.
    private let lock = NSLock()
    private var demand = Subscribers.Demand.none
    private var downstream: Downstream?
    private weak var publisher: Timer.TimerPublisher?

    init(downstream: Downstream, publisher: Timer.TimerPublisher) {
      (self.downstream, self.publisher) = (downstream, publisher)
    }

    func receive(_ date: Date) {
      let downstream = lock.withLock { () -> Downstream? in
        guard demand > 0 else { return nil }
        demand -= 1
        return self.downstream
      }
      guard let downstream else { return }
      request(downstream.receive(date))
    }

    func request(_ demand: Subscribers.Demand) {
      lock.withLock { if downstream != nil { self.demand += demand } }
    }

    func cancel() {
      let downstream = lock.withLock { () -> Downstream? in
        defer {
          demand = .none
          self.downstream = nil
        }
        return self.downstream
      }
      if downstream != nil { publisher?.remove(combineIdentifier) }
    }
  }

  extension TimerSubscription: CustomStringConvertible {
    var description: String { "Timer" }
  }
#endif
