import Foundation
import LoadingModel

/// The observers of one progress, and its values when it was last looked at.
///
/// Foundation's class doesn't report changes, so its values are compared with the last known ones. Thread-safe.
final class ProgressWatch: Sendable {
  private struct State {
    var observers = Observers<ProgressValues>()
    /// The progress's values at the last look; nil before the first.
    var known: ProgressValues?
  }

  private let state = Mutex(State())

  var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Compares the progress with its last known values, and notes the differences, which the same thread must tell.
  func look(at progress: Progress) -> NotedChanges<ProgressValues> {
    state.withLock { state in
      guard !state.observers.isEmpty, let known = state.known else { return NotedChanges() }
      let now = ProgressValues(progress)
      state.known = now
      return state.observers.note(known, now)
    }
  }

  /// Adds an observer. If `isInitial`, the same thread must then call the observer's `tellInitial`.
  func add(_ observer: PropertyObserver<ProgressValues>, of progress: Progress, isInitial: Bool) {
    state.withLock { state in
      // If there are other observers, the last known values are kept, so that the next look still notes their pending differences.
      let known = (state.observers.isEmpty ? nil : state.known) ?? ProgressValues(progress)
      state.known = known
      if isInitial { observer.noteInitial(known) }
      state.observers.add(observer)
    }
  }

  func remove(_ observer: PropertyObserver<ProgressValues>) { state.withLock { $0.observers.remove(observer) } }
}
