import CLoadingProcess
import struct Synchronization.Atomic

/// Finds out whether the call of a delegate method has run the library's default implementation, which means that the class doesn't implement it.
///
/// A probe names the delegate and the method, so that other delegate calls meanwhile (a delegate behind a proxy, a nested run loop) don't disturb it.
/// It belongs to the calling thread, and probes can be nested.
enum DelegateProbe {
  /// Runs `call` and tells whether it ended in the default implementation of `method` for `delegate`.
  static func reachesDefault(_ delegate: any URLSessionDelegate, _ method: DelegateMethod, _ call: () -> Void) -> Bool {
    let previous = uls_delegate_probe_exchange(
      uls_delegate_probe(delegate: identity(of: delegate), method: UInt32(method.rawValue), reached: false))
    call()
    return uls_delegate_probe_exchange(previous).reached
  }

  /// Called by a default implementation. Returns true if `reachesDefault` has made the call of this method, to find out whether there is another
  /// implementation.
  @discardableResult
  static func noteDefault(_ delegate: any URLSessionDelegate, _ method: DelegateMethod) -> Bool {
    uls_delegate_probe_reach(identity(of: delegate), UInt32(method.rawValue))
  }

  private static func identity(of delegate: any URLSessionDelegate) -> UInt {
    UInt(bitPattern: ObjectIdentifier(delegate))
  }
}

/// As `DelegateProbe`, for an `async` method, which may move between threads: the probe is a task-local value.
final class AsyncDelegateProbe: Sendable {
  @TaskLocal private static var current: AsyncDelegateProbe?

  private let delegate: ObjectIdentifier
  private let method: DelegateMethod
  private let reached = Atomic(false)

  init(_ delegate: any URLSessionDelegate, _ method: DelegateMethod) {
    self.delegate = ObjectIdentifier(delegate)
    self.method = method
  }

  var reachedDefault: Bool { reached.load(ordering: .acquiring) }

  nonisolated(nonsending) func listen<Value>(to call: @Sendable () async -> Value) async -> Value {
    await Self.$current.withValue(self, operation: call)
  }

  /// Called by a default implementation. Returns true if the call of this method was made with a probe, to find out whether there is another
  /// implementation.
  static func noteDefault(_ delegate: any URLSessionDelegate, _ method: DelegateMethod) -> Bool {
    guard let probe = current, probe.delegate == ObjectIdentifier(delegate), probe.method == method else { return false }
    probe.reached.store(true, ordering: .releasing)
    return true
  }
}
