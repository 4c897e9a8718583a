import Foundation

// The lock of networking packages: on Apple's platforms `import Foundation` alone brings os_unfair_lock.
#if canImport(Darwin)
  final class UnfairLock {
    private let unfairLock: os_unfair_lock_t

    init() {
      unfairLock = .allocate(capacity: 1)
      unfairLock.initialize(to: os_unfair_lock())
    }

    deinit {
      unfairLock.deinitialize(count: 1)
      unfairLock.deallocate()
    }

    func around<T>(_ closure: () throws -> T) rethrows -> T {
      os_unfair_lock_lock(unfairLock)
      defer { os_unfair_lock_unlock(unfairLock) }
      return try closure()
    }
  }
#else
  #error("this package is for Apple's platforms")
#endif

final class Protected<Value>: @unchecked Sendable {
  private let lock = UnfairLock()
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  func read<U>(_ closure: (Value) throws -> U) rethrows -> U {
    try lock.around { try closure(self.value) }
  }

  func write<U>(_ closure: (inout Value) throws -> U) rethrows -> U {
    try lock.around { try closure(&self.value) }
  }
}
