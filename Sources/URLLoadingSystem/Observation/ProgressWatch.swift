import Foundation
import LoadingModel

/// The observers of one progress, and what was noted of it last.
///
/// Foundation's class doesn't say when it changes: it is compared. Thread-safe.
final class ProgressWatch: Sendable {
  private struct State {
    var observers = Observers<ProgressValues>()
    /// Of the time of the last look.
    var known: ProgressValues?
  }

  private let state = Mutex(State())

  var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Notes what has changed since the last look; to be told by the same thread.
  func look(at progress: Progress) -> NotedChanges<ProgressValues> {
    state.withLock { state in
      guard !state.observers.isEmpty, let known = state.known else { return NotedChanges() }
      let now = ProgressValues(progress)
      state.known = now
      return state.observers.note(known, now)
    }
  }

  /// With `isInitial`, the same thread has to call the observer's `tellInitial`.
  func add(_ observer: PropertyObserver<ProgressValues>, of progress: Progress, isInitial: Bool) {
    state.withLock { state in
      // What others wait to be told isn't overtaken.
      let known = (state.observers.isEmpty ? nil : state.known) ?? ProgressValues(progress)
      state.known = known
      if isInitial { observer.noteInitial(known) }
      state.observers.add(observer)
    }
  }

  func remove(_ observer: PropertyObserver<ProgressValues>) { state.withLock { $0.observers.remove(observer) } }
}
