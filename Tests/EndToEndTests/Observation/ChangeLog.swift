import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

/// What the handler of an observation was told, in order.
final class ChangeLog<Value: Sendable>: Sendable {
  struct Entry: Sendable {
    let old: Value?
    let new: Value?
    let isPrior: Bool
    let thread: pthread_t
  }

  private let told = Mutex<[Entry]>([])

  var entries: [Entry] { told.withLock { $0 } }
  /// Without the initial and the prior calls.
  var changes: [Entry] { entries.filter { $0.old != nil && !$0.isPrior } }
  var news: [Value] { entries.compactMap(\.new) }

  func note(_ change: NSKeyValueObservedChange<Value>) {
    let entry = Entry(old: change.oldValue, new: change.newValue, isPrior: change.isPrior, thread: pthread_self())
    told.withLock { $0.append(entry) }
  }
}

extension ChangeLog where Value: Equatable {
  /// Whether each change begins where the one before has ended, and none is told twice.
  var isUnbroken: Bool {
    let changes = changes
    return zip(changes, changes.dropFirst()).allSatisfy { $0.new == $1.old } && changes.allSatisfy { $0.old != $0.new }
  }
}

extension NSKeyValueObservation.Observable {
  /// Observes with a log; also what shows that generic code can observe.
  func log<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.old, .new]
  ) -> (log: ChangeLog<Value>, observation: NSKeyValueObservation) {
    let log = ChangeLog<Value>()
    return (log, observe(keyPath, options: options) { _, change in log.note(change) })
  }
}
