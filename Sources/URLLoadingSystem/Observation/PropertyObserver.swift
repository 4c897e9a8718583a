import Foundation
import LoadingModel
import NIOCore

/// One observation of one property: what is to be told, and in which order.
///
///     object changes, its lock held:  note(old, new)        -> pending
///     lock released, same thread:     tell(through: number) -> the handler, without a lock
///
/// One thread at a time tells. A change that is noted while the handler runs waits in `pending`, so that none overtakes another. The thread
/// that tells does so until its own changes are told, and leaves the rest to the object's event loop if there is one: a thread of the app
/// isn't kept for as long as a load brings changes.
///
/// Thread-safe. Owned by the observed object and by the `NSKeyValueObservation`; keeps neither.
final class PropertyObserver<Values: Sendable>: Sendable {
  enum Moment: Sendable {
    case initial(Values)
    case prior(Values)
    case change(Values, Values)
  }

  typealias Handler = @Sendable (Moment) -> Void

  private enum Telling {
    case none
    /// `thread` tells, and has to go on until so many moments are told.
    case by(thread: pthread_t, through: Int)
  }

  private struct State {
    /// nil once the observation has ended.
    var handler: Handler?
    var pending = CircularBuffer<Moment>(initialCapacity: 1)
    /// How many moments have been noted, and told.
    var noted = 0
    var told = 0
    var telling = Telling.none
  }

  private enum Step {
    case tell(Handler, Moment)
    /// What is left is for the event loop.
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

  /// The first moment, if the observation asks for it. The object's lock is held, and the observer isn't among the object's yet.
  ///
  /// The calling thread is the one that tells from now on, until `tellInitial` has returned.
  func noteInitial(_ values: Values) {
    state.withLock { state in
      state.pending.append(.initial(values))
      state.noted += 1
      state.telling = .by(thread: pthread_self(), through: state.noted)
    }
  }

  func tellInitial(rest: EventLoopTelling?) { tellPending(rest) }

  /// Notes a change of the property. The object's lock is held.
  /// - Returns: The number for `tell(through:)`; nil if the property is the same.
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

  /// Calls the handler for what is pending, up to the moment with the number `last`, and beyond if there is no loop to leave the rest to.
  /// Returns at once if a thread does that already.
  func tell(through last: Int, rest: EventLoopTelling?) {
    let thread = pthread_self()
    let begins = state.withLock { state in
      switch state.telling {
      case .none:
        state.telling = .by(thread: thread, through: last)
        return true
      case .by(let other, let through):
        // From inside the handler: the call below tells it.
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

  /// No further moment is told.
  func end() {
    // The handler may own what has a deinit of the app's: it is released without the lock.
    let past = state.withLock { state in
      let past = (state.handler, state.pending)
      state.handler = nil
      state.pending = CircularBuffer(initialCapacity: 1)
      return past
    }
    withExtendedLifetime(past) {}
  }
}
