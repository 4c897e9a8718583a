import Foundation
import LoadingModel
import NIOCore

/// One observation of one property: queues the changes, and calls the handler for them in order.
///
///     object changes, its lock held:  note(old, new)        -> pending
///     lock released, same thread:     tell(through: number) -> the handler, without a lock
///
/// Only one thread at a time calls the handler. A change that is noted while the handler runs waits in `pending`, so that none overtakes another. The
/// calling thread tells all changes up to its own, and leaves later ones to the object's event loop if there is one: otherwise a thread of the app
/// could be kept busy as long as a load makes changes.
///
/// Thread-safe. Owned by the observed object and by the `NSKeyValueObservation`; keeps neither alive.
final class PropertyObserver<Values: Sendable>: Sendable {
  enum Moment: Sendable {
    case initial(Values)
    case prior(Values)
    case change(Values, Values)
  }

  typealias Handler = @Sendable (Moment) -> Void

  private enum Telling {
    case none
    /// `thread` is calling the handler, and has to continue until `through` moments have been told.
    case by(thread: pthread_t, through: Int)
  }

  private struct State {
    /// The change handler; nil when the observation has ended.
    var handler: Handler?
    var pending = CircularBuffer<Moment>(initialCapacity: 1)
    /// How many moments have been noted; `told` counts those for which the handler was called.
    var noted = 0
    var told = 0
    var telling = Telling.none
  }

  private enum Step {
    case tell(Handler, Moment)
    /// The remaining moments are told on the event loop.
    case handOver
    case done
  }

  private let property: ObservedProperty<Values>
  private let tellsPrior: Bool
  private let state: Mutex<State>

  init(_ property: ObservedProperty<Values>, tellsPrior: Bool, handler: @escaping Handler) {
    self.property = property
    self.tellsPrior = tellsPrior
    state = Mutex(State(handler: handler))
  }

  /// Notes the initial moment, for an observation with `.initial`. Called with the object's lock held, before the observer is added to the object.
  ///
  /// The calling thread is the one that calls the handler until `tellInitial` has returned.
  func noteInitial(_ values: Values) {
    state.withLock { state in
      state.pending.append(.initial(values))
      state.noted += 1
      state.telling = .by(thread: pthread_self(), through: state.noted)
    }
  }

  func tellInitial(rest: EventLoopTelling?) { tellPending(rest) }

  /// Notes a change of the property. Called with the object's lock held.
  /// - Returns: The number to pass to `tell(through:)`; nil if the property hasn't changed or the observation has ended.
  func note(_ old: Values, _ new: Values) -> Int? {
    guard !property.isSame(old, new) else { return nil }
    return state.withLock { state in
      guard state.handler != nil else { return nil }
      if tellsPrior { state.pending.append(.prior(old)) }
      state.pending.append(.change(old, new))
      state.noted += tellsPrior ? 2 : 1
      return state.noted
    }
  }

  /// Calls the handler for pending moments up to number `last`, and for later ones too if `rest` is nil. Returns at once if a thread is doing that
  /// already.
  func tell(through last: Int, rest: EventLoopTelling?) {
    let thread = pthread_self()
    let begins = state.withLock { state in
      switch state.telling {
      case .none:
        state.telling = .by(thread: thread, through: last)
        return true
      case .by(let other, let through):
        // Called from inside the handler: the running `tellPending` of this thread tells the change after the handler returns.
        if pthread_equal(other, thread) != 0 { state.telling = .by(thread: other, through: max(through, last)) }
        return false
      }
    }
    if begins { tellPending(rest) }
  }

  private func tellPending(_ rest: EventLoopTelling?) {
    while true {
      switch next(hasLoop: rest != nil) {
      case .tell(let handler, let moment): handler(moment)
      case .handOver:
        rest?.tell(self)
        return
      case .done: return
      }
    }
  }

  private func next(hasLoop: Bool) -> Step {
    state.withLock { state in
      guard let handler = state.handler, let moment = state.pending.first else {
        state.telling = .none
        return .done
      }
      if hasLoop, case .by(_, let through) = state.telling, state.told >= through {
        state.telling = .none
        return .handOver
      }
      state.pending.removeFirst()
      state.told += 1
      return .tell(handler, moment)
    }
  }

  /// Ends the observation: drops the pending moments and the handler.
  func end() {
    // The handler may hold the last reference to an app's object, whose deinit must not run under the lock.
    let past = state.withLock { state in
      let past = (state.handler, state.pending)
      state.handler = nil
      state.pending = CircularBuffer(initialCapacity: 1)
      return past
    }
    withExtendedLifetime(past) {}
  }
}
