import Foundation
import LoadingModel

/// A task's `Progress`, whose properties can be observed as Foundation's can on Apple's systems.
final class LoadProgress: Progress, @unchecked Sendable {
  // @unchecked: as Foundation's class is; the one property that is added, `watch`, is thread-safe.
  private let watch = ProgressWatch()

  /// Sets the task's byte counts and returns the changes to tell; called with `TaskProgress.showing` held, which is why it tells nothing itself.
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

  /// Tells the observers after the app, or a parent progress, has changed this one.
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
