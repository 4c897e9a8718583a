import LoadingModel

/// The machine's network interfaces at one moment, as far as loads care.
package struct NetworkConditions: Sendable, Hashable {
  /// What an interface's bytes travel on.
  package enum Medium: Sendable, Hashable {
    case loopback, wired, wifi, cellular
    /// Bridges, tunnels and whatever else the system doesn't name.
    case other
  }

  /// Whether the user pays by volume.
  package enum Metering: Sendable, Hashable {
    case unmetered
    /// Something between user and system supposes it: a phone's hotspot.
    case supposed
    /// The user has said so.
    case declared
  }

  /// An interface that is up.
  package struct Interface: Sendable, Hashable {
    package var name: String
    package var medium: Medium
    package var metering: Metering
    /// In the form of `inet_ntop`, without a zone.
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

  /// By name.
  package var interfaces: [Interface]

  package init(_ interfaces: [Interface]) {
    self.interfaces = interfaces.sorted { $0.name < $1.name }
  }

  /// Whether names can be looked up and other machines be reached: an address beyond loopback and beyond the link.
  package var reachesOthers: Bool {
    interfaces.contains { interface in
      interface.medium != .loopback && interface.addresses.contains { !$0.lowercased().hasPrefix("fe80:") }
    }
  }

  /// Of all interfaces that are up.
  package var addresses: Set<String> { interfaces.reduce(into: []) { $0.formUnion($1.addresses) } }

  package func has(_ address: String) -> Bool { interface(of: address) != nil }

  package func interface(of address: String) -> Interface? {
    let plain = NetworkConditions.withoutZone(address)
    return interfaces.first { $0.addresses.contains(plain) }
  }

  /// Interfaces with a default route: traffic to other networks leaves through them; several if the system has several.
  package var ways: [Interface] { interfaces.filter(\.hasDefaultRoute) }

  /// `fe80::1%eth0` is `fe80::1` on that link.
  private static func withoutZone(_ address: String) -> String {
    address.firstIndex(of: "%").map { String(address[..<$0]) } ?? address
  }
}
