/// An object's fields, guarded by its lock, some of whose properties are observed.
protocol ObservedFields {
  associatedtype Values: Sendable
  var observers: Observers<Values> { get set }
  /// The values of the observable properties as they are now.
  var observed: Values { get }
}

extension ObservedFields {
  /// Changes the fields and notes the observed changes, which the same thread must tell after releasing the lock. Without observers, that costs a
  /// look at an empty array.
  mutating func noting<Result>(_ body: (inout Self) -> Result) -> (Result, NotedChanges<Values>) {
    guard !observers.isEmpty else { return (body(&self), NotedChanges()) }
    let old = observed
    let result = body(&self)
    return (result, observers.note(old, observed))
  }

  /// Adds an observer. If `isInitial`, its first moment is noted, and the caller must call `tellInitial` after releasing the lock.
  mutating func add(_ observer: PropertyObserver<Values>, isInitial: Bool) {
    if isInitial { observer.noteInitial(observed) }
    observers.add(observer)
  }
}
