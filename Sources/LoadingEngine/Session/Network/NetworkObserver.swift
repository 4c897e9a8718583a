import LoadingModel
import ProtocolRules

/// Reports the machine's networks and their changes: the system's in production (`SystemNetwork`), simulated ones in tests.
package protocol NetworkObserver: Sendable {
  /// The networks as found last, while they are observed; nil before the first look. Returns at once, for use by each load.
  var known: NetworkConditions? { get }
  /// The networks at the moment.
  func conditions() async -> NetworkConditions
  /// Calls `changed`, on any thread, after each change, until the returned object is released.
  func observe(_ changed: @escaping @Sendable (NetworkNews) -> Void) -> NetworkObservation
}

/// An observation of the networks: changes are reported as long as this object exists.
package final class NetworkObservation: Sendable {
  private let end: @Sendable () -> Void
  package init(end: @escaping @Sendable () -> Void) { self.end = end }
  deinit { end() }
}

/// The closures that an observer calls after a change.
package final class NetworkListeners: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: @Sendable (NetworkNews) -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  package func add(_ changed: @escaping @Sendable (NetworkNews) -> Void) -> NetworkObservation {
    let id = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = changed
      return state.next
    }
    return NetworkObservation { [self] in state.withLock { $0.listeners[id] = nil } }
  }

  package func tell(_ news: NetworkNews) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener(news) }
  }
}
