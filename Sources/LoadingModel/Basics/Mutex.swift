#if THREAD_SANITIZER
  import Foundation

  /// `Synchronization.Mutex` over a POSIX mutex, which ThreadSanitizer understands; it doesn't see the ordering by the standard library's futex.
  ///
  /// Only in builds for ThreadSanitizer (`make test-sanitize`).
  package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // @unchecked: `value` is touched only while `lock` is held.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initial: consuming sending Value) {
      lock = .allocate(capacity: 1)
      lock.initialize(to: pthread_mutex_t())
      pthread_mutex_init(lock, nil)
      value = .allocate(capacity: 1)
      value.initialize(to: initial)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
      value.deinitialize(count: 1)
      value.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }
  }
#else
  import Synchronization

  /// The standard library's mutex. Builds for ThreadSanitizer use the POSIX one above, whose ordering ThreadSanitizer sees.
  package typealias Mutex<Value: ~Copyable> = Synchronization.Mutex<Value>
#endif
