/// The observers of one object, guarded by the object's lock.
struct Observers<Values: Sendable>: Sendable {
  /// The observers in the order in which they were added; nil in the place of one that was removed.
  private var all: [PropertyObserver<Values>?] = []
  /// The index of each observer in `all`, so that removing one takes the same time whether there are few or many.
  private var places: [ObjectIdentifier: Int] = [:]
  /// The number of removed observers' places that are always tolerated.
  private static var sparePlaces: Int { 8 }

  var isEmpty: Bool { places.isEmpty }

  mutating func add(_ observer: PropertyObserver<Values>) {
    places[ObjectIdentifier(observer)] = all.count
    all.append(observer)
  }

  mutating func remove(_ observer: PropertyObserver<Values>) {
    guard let place = places.removeValue(forKey: ObjectIdentifier(observer)) else { return }
    all[place] = nil
    // Gaps are closed only when they are more than half of the places, so that each observer is moved a few times at most.
    if all.count > 2 * places.count + Observers.sparePlaces { closeGaps() }
  }

  private mutating func closeGaps() {
    let present = all.compactMap { $0 }
    all = present
    for (place, observer) in present.enumerated() { places[ObjectIdentifier(observer)] = place }
  }

  /// Notes the change from `old` to `new` for each observer whose property differs.
  func note(_ old: Values, _ new: Values) -> NotedChanges<Values> {
    var noted = NotedChanges<Values>()
    for case let observer? in all {
      if let number = observer.note(old, new) { noted.add(observer, number) }
    }
    return noted
  }
}
