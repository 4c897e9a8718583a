#if TestKit
  import LoadingEngine
  import LoadingModel
  import ProtocolRules
  import URLLoadingSystem

  /// Networks that are what the test says: for `waitsForConnectivity` and for the kinds of network that loads may use.
  ///
  /// Connections are real all the same: an interface that has the address of loopback is whatever the test makes of it.
  package final class VirtualNetwork: NetworkObserver {
    private let current: Mutex<NetworkConditions>
    /// What the next looks at the network will see.
    private let glimpses = Mutex<[NetworkConditions]>([])
    private let listeners = NetworkListeners()

    package init(_ interfaces: NetworkConditions.Interface...) {
      current = Mutex(NetworkConditions(interfaces))
    }

    /// Makes these the networks there are, and says so.
    package func change(to interfaces: NetworkConditions.Interface...) {
      let now = NetworkConditions(interfaces)
      let before = current.withLock { current in
        defer { current = now }
        return current
      }
      listeners.tell(NetworkNews(before.addresses, now: now.addresses))
    }

    package var known: NetworkConditions? { current.withLock { $0 } }

    /// Shows these networks to the next look alone.
    package func show(_ interfaces: NetworkConditions.Interface...) { glimpses.withLock { $0.append(NetworkConditions(interfaces)) } }

    package func conditions() async -> NetworkConditions {
      glimpses.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? current.withLock { $0 }
    }

    package func observe(_ changed: @escaping @Sendable (NetworkNews) -> Void) -> NetworkObservation { listeners.add(changed) }
  }

  extension NetworkConditions.Interface {
    /// The one through which this machine's test servers are reached.
    package static func toTestServers(
      _ medium: NetworkConditions.Medium, metering: NetworkConditions.Metering = .unmetered
    ) -> NetworkConditions.Interface {
      NetworkConditions.Interface("net0", medium, metering: metering, addresses: ["127.0.0.1", "::1"], hasDefaultRoute: true)
    }
  }

  extension URLSessionConfiguration {
    /// Takes the state of the networks from `network`, in sessions made from this configuration afterwards.
    package func use(_ network: VirtualNetwork) { networkObserver = network }
  }
#endif
