#if Combine
  /// Something of Combine's that is thread-safe without saying so, for use in other tasks.
  struct Shared<Value>: @unchecked Sendable {
    // @unchecked: used for subjects and publishers alone, which lock by themselves.
    let value: Value
    init(_ value: Value) { self.value = value }
  }
#endif
