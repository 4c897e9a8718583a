import Foundation
import LoadingModel

/// The progress of a task: Foundation's, and it can be observed.
final class LoadProgress: Progress, @unchecked Sendable {
  // @unchecked: as Foundation's class is; what is added is thread-safe.
  private let watch = ProgressWatch()

  /// Takes the counts of the task without telling; `TaskProgress.showing` is held.
  func show(completed: Int64, total: Int64) -> NotedChanges<ProgressValues> {
    super.totalUnitCount = total
    super.completedUnitCount = completed
    return watch.look(at: self)
  }

  func tell(_ noted: NotedChanges<ProgressValues>) {
    noted.tell()
    AppProgresses.look()
  }

  func begin(_ observer: PropertyObserver<ProgressValues>, isInitial: Bool) -> NSKeyValueObservation {
    let watch = watch
    TaskProgress.showing.withLock { _ in watch.add(observer, of: self, isInitial: isInitial) }
    if isInitial { observer.tellInitial(rest: nil) }
    return NSKeyValueObservation {
      observer.end()
      watch.remove(observer)
    }
  }

  /// The app, or a progress that this one is a part of, has changed it.
  private func changed() { tell(watch.look(at: self)) }

  override var totalUnitCount: Int64 {
    get { super.totalUnitCount }
    set {
      super.totalUnitCount = newValue
      changed()
    }
  }

  override var completedUnitCount: Int64 {
    get { super.completedUnitCount }
    set {
      super.completedUnitCount = newValue
      changed()
    }
  }

  override func cancel() {
    super.cancel()
    changed()
  }

  override func pause() {
    super.pause()
    changed()
  }

  override func resume() {
    super.resume()
    changed()
  }

  override var localizedDescription: String! { ProgressValues(self).localizedDescription }

  override var localizedAdditionalDescription: String! { ProgressValues(self).localizedAdditionalDescription }
}
