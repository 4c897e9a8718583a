import CLoadingProcess
import struct Synchronization.Atomic

/// How a dispatcher finds out that its call of a delegate method ended in the library's default implementation.
///
/// The probe names the delegate and the method, so that whatever else the delegate calls meanwhile (another delegate behind a proxy, a
/// nested run loop) does not disturb it. It belongs to the calling thread and nests.
enum DelegateProbe {
  /// Runs `call` and tells whether it ended in the default implementation of `method` for `delegate`.
  static func reachesDefault(_ delegate: any URLSessionDelegate, _ method: DelegateMethod, _ call: () -> Void) -> Bool {
    let previous = uls_delegate_probe_exchange(
      uls_delegate_probe(delegate: identity(of: delegate), method: UInt32(method.rawValue), reached: false))
    call()
    return uls_delegate_probe_exchange(previous).reached
  }

  /// Called by a default implementation: true if a dispatcher asked only whether there is another one.
  @discardableResult
  static func noteDefault(_ delegate: any URLSessionDelegate, _ method: DelegateMethod) -> Bool {
    uls_delegate_probe_reach(identity(of: delegate), UInt32(method.rawValue))
  }

  private static func identity(of delegate: any URLSessionDelegate) -> UInt {
    UInt(bitPattern: ObjectIdentifier(delegate))
  }
}

/// The same for an `async` spelling, which may move between threads: the probe travels as a task-local value.
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

  /// Called by a default implementation: true if a dispatcher asked only whether there is another one.
  static func noteDefault(_ delegate: any URLSessionDelegate, _ method: DelegateMethod) -> Bool {
    guard let probe = current, probe.delegate == ObjectIdentifier(delegate), probe.method == method else { return false }
    probe.reached.store(true, ordering: .releasing)
    return true
  }
}
