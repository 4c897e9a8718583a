import LoadingModel
import ProtocolRules

/// A session's rules for where its connections lead: a Unix socket, the app's table of places, and the resolver of names.
package struct DialPlan: Sendable {
  /// The Unix socket that all connections are made to: a path, or "@" and the name of an abstract socket; nil: the network.
  package var socketPath: String?
  /// The app's table of hosts and ports to connect to in place of those in URLs (`connectTo`).
  package var places = ConnectTable()
  package var resolver: any HostResolver = SystemResolver()
  /// Whether the resolver's answers are validated by DNSSEC, all of them.
  package var validatesNames = false

  package init() {}

  /// The Unix socket that connections to `origin` are made to; nil if they are made over the network.
  package func socketPath(for origin: Origin) -> String? { origin.socketPath ?? socketPath }

  /// The host and port that connections to `origin` are made to over the network.
  func place(of origin: Origin) -> (host: String, port: Int) { places.place(of: origin.host, origin.port) ?? (origin.host, origin.port) }

  /// Whether connections to `origin` lead to its own host and port. Only then do HTTPS records and alternative services of the origin apply.
  package func isNatural(_ origin: Origin) -> Bool {
    socketPath == nil && !origin.isUnixSocket && (places.isEmpty || places.place(of: origin.host, origin.port) == nil)
  }

  /// Whether the origin's addresses need no DNSSEC validation: no name is looked up, the app has given them, or the resolver validates all answers.
  package func needsNoValidation(_ origin: Origin) -> Bool {
    if validatesNames || socketPath(for: origin) != nil { return true }
    let place = place(of: origin)
    return IPAddress(place.host) != nil || resolver.isFixed(place.host, place.port)
  }
}
