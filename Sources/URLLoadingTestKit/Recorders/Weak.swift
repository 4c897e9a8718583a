#if TestKit
  /// Refers to an object without keeping it.
  struct Weak<Object: AnyObject> {
    weak var object: Object?
    init(_ object: Object) { self.object = object }
  }
#endif
