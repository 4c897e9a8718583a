import LoadingModel
import NIOCore
import ProtocolRules

/// One connection for several origins (RFC 9113, 9.1.1): which of a session's connections may serve an attempt's origin beside their own.
///
/// A value, used on the session's event loop.
struct Coalescing {
  let dialer: SocketDialer
  let connector: Connector
  let identities: ClientIdentityCache

  /// Connections that could serve the attempt's origin for all that is known without its addresses.
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

  /// Whether a candidate leads to the server at one of `addresses`: it has one of them, the port (what leads to another by the DNS has served
  /// another origin there), and a certificate for the name.
  func leads(_ candidate: any MultiplexedConnection, to attempt: ConnectAttempt, at addresses: [String]) -> Bool {
    candidate.facts.remoteAddress.map(addresses.contains) == true && candidate.vouches(for: attempt.origin.host)
      && (attempt.isBesideTCP || candidate.facts.remotePort == attempt.origin.port)
  }

  /// The addresses of an attempt's server, which leads to `host`; nil if they aren't known.
  func addresses(_ attempt: ConnectAttempt, at host: String) async -> [String]? {
    attempt.timings.lookupStart = dialer.clock.now
    let found = try? await dialer.hosts.addresses(of: host, port: attempt.origin.port).get().compactMap(\.ipAddress)
    if found != nil { attempt.timings.lookupEnd = dialer.clock.now }
    return found
  }
}
