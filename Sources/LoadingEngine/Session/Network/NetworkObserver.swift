import LoadingModel
import ProtocolRules

/// Knows the machine's networks. The system's in production (`SystemNetwork`), a made-up one in tests.
package protocol NetworkObserver: Sendable {
  /// The networks as they were found last, while they are observed; nil before the first look. At once, for the hot path.
  var known: NetworkConditions? { get }
  /// The networks now.
  func conditions() async -> NetworkConditions
  /// Calls `changed`, on any thread, after each change until the returned object is let go.
  func observe(_ changed: @escaping @Sendable (NetworkNews) -> Void) -> NetworkObservation
}

/// While it lives, changes are reported.
package final class NetworkObservation: Sendable {
  private let end: @Sendable () -> Void
  package init(end: @escaping @Sendable () -> Void) { self.end = end }
  deinit { end() }
}

/// The listeners of an observer.
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
