import CAppleDarwin

/// A lock with the state that it guards, on the heap: copies are the same lock.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  // @unchecked: the state is used with the lock held.
  private final class Storage {
    let lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
    var state: State

    init(_ state: State) {
      lock.initialize(to: os_unfair_lock())
      self.state = state
    }

    deinit { lock.deallocate() }
  }

  private let storage: Storage

  /// A lock that guards `initialState`, which needn't be Sendable.
  public init(uncheckedState initialState: State) { storage = Storage(initialState) }

  /// Runs `body` with the lock held, with state and result that needn't be Sendable.
  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
    os_unfair_lock_lock(storage.lock)
    defer { os_unfair_lock_unlock(storage.lock) }
    return try body(&storage.state)
  }

  /// Runs `body` with the lock held.
  public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R { try withLockUnchecked(body) }

  /// Runs `body` if the lock is free; nil if it isn't.
  public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
    guard os_unfair_lock_trylock(storage.lock) else { return nil }
    defer { os_unfair_lock_unlock(storage.lock) }
    return try body(&storage.state)
  }

  /// Runs `body` if the lock is free; nil if it isn't.
  public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }

  /// What `precondition(_:)` checks.
  public enum Ownership: Hashable, Sendable {
    /// The calling thread has the lock.
    case owner
    /// It doesn't.
    case notOwner
  }

  /// Ends the process if the lock is free and `condition` is `.owner`. Which thread has it isn't known here.
  public func precondition(_ condition: Ownership) {
    if condition == .owner { os_unfair_lock_assert_owner(storage.lock) }
  }
}

extension OSAllocatedUnfairLock where State: Sendable {
  /// A lock that guards `initialState`.
  public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
  /// A lock without state.
  public init() { self.init(uncheckedState: ()) }

  /// Waits for the lock and takes it.
  public func lock() { os_unfair_lock_lock(storage.lock) }

  /// Gives the lock back.
  public func unlock() { os_unfair_lock_unlock(storage.lock) }

  /// Takes the lock if it is free.
  public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }

  /// Runs `body` with the lock held.
  public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R { try withLockUnchecked { _ in try body() } }

  /// Runs `body` with the lock held.
  public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R { try withLockUnchecked { _ in try body() } }

  /// Runs `body` if the lock is free; nil if it isn't.
  public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked { _ in try body() }
  }
}
