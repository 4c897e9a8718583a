#if TestKit
  /// A weak reference as a value, to be stored in collections and captured by closures.
  struct Weak<Object: AnyObject> {
    weak var object: Object?
    init(_ object: Object) { self.object = object }
  }
#endif
