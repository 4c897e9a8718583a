/// The fields of an object whose changes are observed; what the object's lock protects.
protocol ObservedFields {
  associatedtype Values: Sendable
  var observers: Observers<Values> { get set }
  /// The observable properties as they are now.
  var observed: Values { get }
}

extension ObservedFields {
  /// Changes the fields and notes what is observed of it; to be told by the same thread, without the lock. Where nothing is observed, that
  /// costs a look at an empty array.
  mutating func noting<Result>(_ body: (inout Self) -> Result) -> (Result, NotedChanges<Values>) {
    guard !observers.isEmpty else { return (body(&self), NotedChanges()) }
    let old = observed
    let result = body(&self)
    return (result, observers.note(old, observed))
  }

  /// Takes an observer in. Its `tellInitial` follows, without the lock, if it is to be told what there is.
  mutating func add(_ observer: PropertyObserver<Values>, isInitial: Bool) {
    if isInitial { observer.noteInitial(observed) }
    observers.add(observer)
  }
}
