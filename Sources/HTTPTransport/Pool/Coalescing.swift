import LoadingModel
import NIOCore
import ProtocolRules

/// Connection coalescing (RFC 9113, 9.1.1): decides whether a connection to one origin can also serve another origin.
///
/// A value, used on the session's event loop.
struct Coalescing {
  let dialer: SocketDialer
  let connector: Connector
  let identities: ClientIdentityCache

  /// The connections that may serve the attempt's origin, as far as that can be decided without knowing its addresses.
  func candidates(for attempt: ConnectAttempt, among shared: [Int: any MultiplexedConnection]) -> [any MultiplexedConnection] {
    let origin = attempt.origin
    guard attempt.destination.allowsSharing, dialer.plan.isNatural(origin), identities.identity(for: origin) == nil else { return [] }
    let policy = connector.policy(of: origin)
    return shared.values.filter { connection in
      let other = connection.destination.origin
      return connection.isOpen && (!attempt.isBesideTCP || connection.protocolName == "h3") && connection.destination.allowsSharing
        && other.port == origin.port && other.host != origin.host
        && connection.destination.traffic == attempt.destination.traffic
        && connection.peerAcceptance == .evaluated && identities.identity(for: other) == nil && connector.policy(of: other) == policy
    }
  }

  /// Whether `candidate` leads to the attempt's server, which has these addresses: its remote address is one of them, its remote port is the origin's
  /// (for TCP), and its certificate is valid for the origin's name.
  func leads(_ candidate: any MultiplexedConnection, to attempt: ConnectAttempt, at addresses: [String]) -> Bool {
    candidate.facts.remoteAddress.map(addresses.contains) == true && candidate.vouches(for: attempt.origin.host)
      && (attempt.isBesideTCP || candidate.facts.remotePort == attempt.origin.port)
  }

  /// Looks up the addresses of `host`, to which the attempt would connect; nil if that fails.
  func addresses(_ attempt: ConnectAttempt, at host: String) async -> [String]? {
    attempt.timings.lookupStart = dialer.clock.now
    let found = try? await dialer.hosts.addresses(of: host, port: attempt.origin.port).get().compactMap(\.ipAddress)
    if found != nil { attempt.timings.lookupEnd = dialer.clock.now }
    return found
  }
}
