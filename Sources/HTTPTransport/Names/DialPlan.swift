import LoadingModel
import ProtocolRules

/// Where a session's connections lead, and who knows the addresses of names.
package struct DialPlan: Sendable {
  /// The Unix socket that all connections are made to: a path, or "@" and the name of an abstract socket; nil: the network.
  package var socketPath: String?
  /// Places in the stead of those that URLs name.
  package var places = ConnectTable()
  package var resolver: any HostResolver = SystemResolver()
  /// Whether the resolver's answers are validated by DNSSEC, all of them.
  package var validatesNames = false

  package init() {}

  /// The Unix socket that connections to `origin` are made to; nil if they are made over the network.
  package func socketPath(for origin: Origin) -> String? { origin.socketPath ?? socketPath }

  /// Where `origin` is connected to over the network.
  func place(of origin: Origin) -> (host: String, port: Int) { places.place(of: origin.host, origin.port) ?? (origin.host, origin.port) }

  /// Whether connections to `origin` lead where its name does: by the DNS, and so whatever else the DNS and the origin say of it may be followed.
  package func isNatural(_ origin: Origin) -> Bool {
    socketPath == nil && !origin.isUnixSocket && (places.isEmpty || places.place(of: origin.host, origin.port) == nil)
  }

  /// Whether the origin's addresses are as good as validated ones: none are looked up, or all are validated.
  package func needsNoValidation(_ origin: Origin) -> Bool {
    if validatesNames || socketPath(for: origin) != nil { return true }
    let place = place(of: origin)
    return IPAddress(place.host) != nil || resolver.isFixed(place.host, place.port)
  }
}
