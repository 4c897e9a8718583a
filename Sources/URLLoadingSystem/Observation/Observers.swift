/// The observers of one object; part of what the object's lock protects.
struct Observers<Values: Sendable>: Sendable {
  /// In the order in which they were added; nil in the place of one that has ended.
  private var all: [PropertyObserver<Values>?] = []
  /// Where they are in `all`: to end one costs the same whether there are few or many.
  private var places: [ObjectIdentifier: Int] = [:]
  /// Places of ended observers that may stay.
  private static var sparePlaces: Int { 8 }

  var isEmpty: Bool { places.isEmpty }

  mutating func add(_ observer: PropertyObserver<Values>) {
    places[ObjectIdentifier(observer)] = all.count
    all.append(observer)
  }

  mutating func remove(_ observer: PropertyObserver<Values>) {
    guard let place = places.removeValue(forKey: ObjectIdentifier(observer)) else { return }
    all[place] = nil
    // Half of them at a time, so that each is moved a few times at most.
    if all.count > 2 * places.count + Observers.sparePlaces { closeGaps() }
  }

  private mutating func closeGaps() {
    let present = all.compactMap { $0 }
    all = present
    for (place, observer) in present.enumerated() { places[ObjectIdentifier(observer)] = place }
  }

  /// Notes what has changed, for those who observe it.
  func note(_ old: Values, _ new: Values) -> NotedChanges<Values> {
    var noted = NotedChanges<Values>()
    for case let observer? in all {
      if let number = observer.note(old, new) { noted.add(observer, number) }
    }
    return noted
  }
}
