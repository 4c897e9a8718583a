/// A value behind a reference: as wide as a pointer wherever it is copied to. A change of one copy leaves the others as they are.
struct Boxed<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  // In line: a field is read through the box without a copy of the whole value.
  @inline(__always)
  var value: Value {
    get { box.value }
    set { box = Box(newValue) }
  }
}
