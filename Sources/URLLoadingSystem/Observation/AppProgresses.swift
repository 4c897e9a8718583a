import Foundation
import LoadingModel

/// The observed progresses that the app has made, such as one for several tasks.
///
/// Foundation's class doesn't say when it changes. What these show changes when the progress of a task does that is a part of them: they
/// are looked at then.
enum AppProgresses {
  private struct Entry {
    weak var progress: Progress?
    let watch: ProgressWatch
  }

  private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  /// Held while progresses are compared, so that an older look never follows a newer one. No observer is called meanwhile.
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

  /// The progress of a task has changed.
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
