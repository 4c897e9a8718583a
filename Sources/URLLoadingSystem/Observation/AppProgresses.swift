import Foundation
import LoadingModel

/// The observed progresses that the app has made itself, such as the parent of several tasks' progresses.
///
/// Foundation's class doesn't report changes. A parent's properties change when a task's progress does, so all observed parents are compared with
/// their last known values whenever a task's progress changes.
enum AppProgresses {
  private struct Entry {
    weak var progress: Progress?
    let watch: ProgressWatch
  }

  private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  /// Held while progresses are compared, so that an older comparison is never noted after a newer one. No observer is called meanwhile.
  private static let looking = Mutex(())

  static func begin(_ observer: PropertyObserver<ProgressValues>, of progress: Progress, isInitial: Bool) -> NSKeyValueObservation {
    let identifier = ObjectIdentifier(progress)
    let watch = entries.withLock { entries in
      let known = entries[identifier].flatMap { $0.progress === progress ? $0.watch : nil }
      let watch = known ?? ProgressWatch()
      entries[identifier] = Entry(progress: progress, watch: watch)
      watch.add(observer, of: progress, isInitial: isInitial)
      return watch
    }
    if isInitial { observer.tellInitial(rest: nil) }
    return NSKeyValueObservation {
      observer.end()
      watch.remove(observer)
      entries.withLock { entries in
        if let entry = entries[identifier], entry.watch === watch, !watch.isObserved { entries[identifier] = nil }
      }
    }
  }

  /// Compares all observed progresses of the app with their last known values, and tells their observers; called when a task's progress has changed.
  static func look() {
    let watched = entries.withLock { entries -> [(Progress, ProgressWatch)] in
      guard !entries.isEmpty else { return [] }
      return entries.compactMap { identifier, entry in
        guard let progress = entry.progress else {
          entries[identifier] = nil
          return nil
        }
        return (progress, entry.watch)
      }
    }
    guard !watched.isEmpty else { return }
    let noted = looking.withLock { _ in watched.map { progress, watch in watch.look(at: progress) } }
    for changes in noted { changes.tell() }
  }
}
