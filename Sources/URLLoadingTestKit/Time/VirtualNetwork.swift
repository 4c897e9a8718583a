#if TestKit
  import LoadingEngine
  import LoadingModel
  import ProtocolRules
  import URLLoadingSystem

  /// A network observer that reports the interfaces which the test sets: for `waitsForConnectivity` and for the kinds of network that loads may use.
  ///
  /// Connections are still real: the test describes an interface that has the loopback address, over which the test server is reached, as any kind of
  /// network.
  package final class VirtualNetwork: NetworkObserver {
    private let current: Mutex<NetworkConditions>
    /// Conditions that the next calls of `conditions` return once each, before `current` is returned again.
    private let glimpses = Mutex<[NetworkConditions]>([])
    private let listeners = NetworkListeners()

    package init(_ interfaces: NetworkConditions.Interface...) {
      current = Mutex(NetworkConditions(interfaces))
    }

    /// Sets the current interfaces and notifies the observers of the change.
    package func change(to interfaces: NetworkConditions.Interface...) {
      let now = NetworkConditions(interfaces)
      let before = current.withLock { current in
        defer { current = now }
        return current
      }
      listeners.tell(NetworkNews(before.addresses, now: now.addresses))
    }

    package var known: NetworkConditions? { current.withLock { $0 } }

    /// Makes the next call of `conditions` return these interfaces, and only that one.
    package func show(_ interfaces: NetworkConditions.Interface...) { glimpses.withLock { $0.append(NetworkConditions(interfaces)) } }

    package func conditions() async -> NetworkConditions {
      glimpses.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? current.withLock { $0 }
    }

    package func observe(_ changed: @escaping @Sendable (NetworkNews) -> Void) -> NetworkObservation { listeners.add(changed) }
  }

  extension NetworkConditions.Interface {
    /// An interface of this kind with the loopback addresses, over which test servers are reached.
    package static func toTestServers(
      _ medium: NetworkConditions.Medium, metering: NetworkConditions.Metering = .unmetered
    ) -> NetworkConditions.Interface {
      NetworkConditions.Interface("net0", medium, metering: metering, addresses: ["127.0.0.1", "::1"], hasDefaultRoute: true)
    }
  }

  extension URLSessionConfiguration {
    /// Takes the state of the networks from `network`, in sessions that are created from this configuration afterwards.
    package func use(_ network: VirtualNetwork) { networkObserver = network }
  }
#endif
