import Dispatch
import LoadingModel
import NIOCore

/// Says when a queue that a session has made itself (`SerialDelegateQueue`) may ask for a thread.
///
/// Dispatch makes a thread at once for each such queue that has something to do: hundreds of sessions whose loads end together would have
/// hundreds of threads. So a few queues at a time have their turn, and the others follow in the order in which they asked. Where no turn ends
/// for a while, delegates block, perhaps for one that waits here: then one more is let in at a time, and stays allowed.
///
/// Thread-safe. One for the process.
final class DelegateTurns: Sendable {
  static let shared = DelegateTurns(limit: 32, patience: .milliseconds(5))

  private struct State {
    var underWay = 0
    /// Turns beyond the limit, in place of those that don't end.
    var extra = 0
    var waiting = CircularBuffer<@Sendable () -> Void>(initialCapacity: 1)
    /// Turns that have ended.
    var ended = 0
    /// `ended` when the look that is planned was; nil if none is.
    var planned: Int?
  }

  private let limit: Int
  private let patience: DispatchTimeInterval
  private let state = Mutex(State())

  init(limit: Int, patience: DispatchTimeInterval) {
    self.limit = limit
    self.patience = patience
  }

  /// Calls `turn` when a queue may ask for a thread: now, or on any thread. `end` follows.
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

  /// The turn is over: the next queue has its.
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
