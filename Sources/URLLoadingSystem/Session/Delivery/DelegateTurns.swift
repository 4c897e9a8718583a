import Dispatch
import LoadingModel
import NIOCore

/// Limits how many of the queues that sessions have made (`SerialDelegateQueue`) use a thread at the same time.
///
/// Dispatch makes a thread at once for each such queue that has something to do: hundreds of sessions whose loads end together would have hundreds of
/// threads. So at most `limit` queues have a turn at a time, and the others follow in the order in which they asked. If no turn ends within
/// `patience`, delegates are blocking, perhaps waiting for a queue that has no turn yet: one more queue is admitted then, and again after each such
/// time.
///
/// Thread-safe. One for the process.
final class DelegateTurns: Sendable {
  static let shared = DelegateTurns(limit: 32, patience: .milliseconds(5))

  private struct State {
    var underWay = 0
    /// Turns admitted beyond the limit, one for each time that no turn ended within `patience`.
    var extra = 0
    var waiting = CircularBuffer<@Sendable () -> Void>(initialCapacity: 1)
    /// The number of turns that have ended so far.
    var ended = 0
    /// The value of `ended` when the next check for blocked turns was scheduled; nil if none is scheduled.
    var planned: Int?
  }

  private let limit: Int
  private let patience: DispatchTimeInterval
  private let state = Mutex(State())

  init(limit: Int, patience: DispatchTimeInterval) {
    self.limit = limit
    self.patience = patience
  }

  /// Calls `turn` when a queue may use a thread: at once, or later on any thread. The queue must call `end` when it is done.
  func begin(_ turn: @escaping @Sendable () -> Void) {
    let (begins, looks): (Bool, Bool) = state.withLock { state in
      guard state.underWay >= limit + state.extra else {
        state.underWay += 1
        return (true, false)
      }
      state.waiting.append(turn)
      defer { state.planned = state.planned ?? state.ended }
      return (false, state.planned == nil)
    }
    if begins { turn() }
    if looks { planLook() }
  }

  /// Ends a queue's turn, and begins that of the queue that has waited longest.
  func end() {
    let next: (@Sendable () -> Void)? = state.withLock { state in
      state.ended += 1
      state.underWay -= 1
      if state.underWay <= limit / 2 { state.extra = 0 }
      guard state.underWay < limit + state.extra, let next = state.waiting.popFirst() else { return nil }
      state.underWay += 1
      return next
    }
    next?()
  }

  private func planLook() {
    DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in self?.look() }
  }

  private func look() {
    let (next, goesOn): ((@Sendable () -> Void)?, Bool) = state.withLock { state in
      let hasMoved = state.planned != state.ended
      state.planned = nil
      guard !state.waiting.isEmpty else { return (nil, false) }
      var next: (@Sendable () -> Void)?
      if !hasMoved {
        next = state.waiting.removeFirst()
        state.extra += 1
        state.underWay += 1
      }
      guard !state.waiting.isEmpty else { return (next, false) }
      state.planned = state.ended
      return (next, true)
    }
    next?()
    if goesOn { planLook() }
  }
}
