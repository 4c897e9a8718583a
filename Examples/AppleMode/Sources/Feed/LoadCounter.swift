#if canImport(Darwin)
  import Darwin

  final class LoadCounter: @unchecked Sendable {
    private let lock: os_unfair_lock_t
    private var count = 0

    init() {
      lock = .allocate(capacity: 1)
      lock.initialize(to: os_unfair_lock())
    }

    deinit {
      lock.deinitialize(count: 1)
      lock.deallocate()
    }

    var value: Int {
      os_unfair_lock_lock(lock)
      defer { os_unfair_lock_unlock(lock) }
      return count
    }

    func increment() {
      os_unfair_lock_lock(lock)
      count += 1
      os_unfair_lock_unlock(lock)
    }
  }
#else
  #error("this package is for Apple's platforms")
#endif
