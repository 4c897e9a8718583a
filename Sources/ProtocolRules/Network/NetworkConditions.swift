import LoadingModel

/// The machine's network interfaces at one moment, with what decides about loads.
package struct NetworkConditions: Sendable, Hashable {
  /// The physical medium of an interface.
  package enum Medium: Sendable, Hashable {
    case loopback, wired, wifi, cellular
    /// Bridges, tunnels and any other kind that the system doesn't name.
    case other
  }

  /// Whether the user pays by volume on an interface.
  package enum Metering: Sendable, Hashable {
    case unmetered
    /// Metered by a guess of the system, for instance because the network is a phone's hotspot.
    case supposed
    /// Metered by the user's own setting.
    case declared
  }

  /// An interface that is up.
  package struct Interface: Sendable, Hashable {
    package var name: String
    package var medium: Medium
    package var metering: Metering
    /// The addresses as `inet_ntop` writes them, without a zone.
    package var addresses: Set<String>
    package var hasDefaultRoute: Bool

    package init(
      _ name: String, _ medium: Medium, metering: Metering = .unmetered, addresses: Set<String> = [], hasDefaultRoute: Bool = false
    ) {
      self.name = name
      self.medium = medium
      self.metering = metering
      self.addresses = addresses
      self.hasDefaultRoute = hasDefaultRoute
    }
  }

  /// The interfaces in the order of their names.
  package var interfaces: [Interface]

  package init(_ interfaces: [Interface]) {
    self.interfaces = interfaces.sorted { $0.name < $1.name }
  }

  /// Whether other machines may be reached: some interface has an address that is neither loopback nor link-local.
  package var reachesOthers: Bool {
    interfaces.contains { interface in
      interface.medium != .loopback && interface.addresses.contains { !$0.lowercased().hasPrefix("fe80:") }
    }
  }

  /// The addresses of all interfaces that are up.
  package var addresses: Set<String> { interfaces.reduce(into: []) { $0.formUnion($1.addresses) } }

  package func has(_ address: String) -> Bool { interface(of: address) != nil }

  package func interface(of address: String) -> Interface? {
    let plain = NetworkConditions.withoutZone(address)
    return interfaces.first { $0.addresses.contains(plain) }
  }

  /// Interfaces with a default route: traffic to other networks leaves through them; several if the system has several.
  package var ways: [Interface] { interfaces.filter(\.hasDefaultRoute) }

  /// The address without its zone: `fe80::1%eth0` is `fe80::1` on the link `eth0`.
  private static func withoutZone(_ address: String) -> String {
    address.firstIndex(of: "%").map { String(address[..<$0]) } ?? address
  }
}
