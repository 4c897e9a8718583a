/// The observers of one object; part of what the object's lock protects.
struct Observers<Values: Sendable>: Sendable {
  private var all: [PropertyObserver<Values>] = []

  var isEmpty: Bool { all.isEmpty }

  mutating func add(_ observer: PropertyObserver<Values>) { all.append(observer) }

  mutating func remove(_ observer: PropertyObserver<Values>) { all.removeAll { $0 === observer } }

  /// Notes what has changed, for those who observe it.
  func note(_ old: Values, _ new: Values) -> NotedChanges<Values> {
    var noted = NotedChanges<Values>()
    for observer in all {
      if let number = observer.note(old, new) { noted.add(observer, number) }
    }
    return noted
  }
}
