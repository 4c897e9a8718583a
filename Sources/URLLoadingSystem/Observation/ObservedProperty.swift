/// An observable property: where it is in the values that its object notes before and after a change, and when two values count as equal.
struct ObservedProperty<Values: Sendable>: Sendable {
  /// The property's key path, a `KeyPath<Values, Value>` for the `Value` of the initialiser.
  let path: any PartialKeyPath<Values> & Sendable
  let isSame: @Sendable (Values, Values) -> Bool

  init<Value: Equatable & Sendable>(_ path: any KeyPath<Values, Value> & Sendable) {
    self.init(path) { $0 == $1 }
  }

  init<Value>(_ path: any KeyPath<Values, Value> & Sendable, isSame: @escaping @Sendable (Value, Value) -> Bool) {
    self.path = path
    self.isSame = { isSame($0[keyPath: path], $1[keyPath: path]) }
  }
}
