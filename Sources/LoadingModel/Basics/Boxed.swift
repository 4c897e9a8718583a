/// A value behind a reference, so that each copy is only one pointer wide. Copies are independent: changing one leaves the others as they are.
struct Boxed<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  // Inlined, so that a field is read through the box without a copy of the whole value.
  @inline(__always)
  var value: Value {
    get { box.value }
    set { box = Box(newValue) }
  }
}
