import LoadingModel
import NIOCore

// One connection for several origins (RFC 9113, 9.1.1).

extension ConnectionPool {
  /// Serves those who wait for `attempt` on a connection to another origin, if there is one that leads to the same server: it has one of
  /// the addresses that the origin's name has, the port (what leads to another by the DNS has served another origin there), and a certificate for
  /// the name.
  ///
  /// - Returns: Whether the attempt is done with.
  func coalesce(_ attempt: ConnectAttempt) async -> Bool {
    guard attempt.offersHTTP2 || attempt.isBesideTCP, !candidates(for: attempt).isEmpty else { return false }
    let origin = attempt.origin
    let host = attempt.isBesideTCP ? races[attempt.destination]?.endpoint.host ?? origin.host : origin.host
    attempt.timings.lookupStart = clock.now
    guard let addresses = try? await dialer.hosts.addresses(of: host, port: origin.port).get().compactMap(\.ipAddress) else { return false }
    attempt.timings.lookupEnd = clock.now
    // All may be different now: connections have come and gone.
    let fitting = candidates(for: attempt).first { candidate in
      candidate.facts.remoteAddress.map(addresses.contains) == true && candidate.vouches(for: origin.host)
        && (attempt.isBesideTCP || candidate.facts.remotePort == origin.port)
    }
    guard let fitting, attempts[attempt.id] != nil,
      machine.adopt(attempt.destination, fitting.id, isBeside: attempt.isBesideTCP, negotiated: negotiated(attempt.destination))
    else { return false }
    attempts[attempt.id] = nil
    serveWaiting(fitting)
    if !attempt.isBesideTCP { replenish(attempt.destination) }
    return true
  }

  /// Connections that could serve the attempt's origin for all that is known without its addresses.
  private func candidates(for attempt: ConnectAttempt) -> [any MultiplexedConnection] {
    let origin = attempt.origin
    guard !shared.isEmpty, attempt.destination.allowsSharing, dialer.plan.isNatural(origin), !separate.contains(origin),
      identities.identity(for: origin) == nil,
      attempt.cause.map({ waiterIsAsked($0) }) != true, !attempt.isBesideTCP || races[attempt.destination]?.companion == nil
    else { return [] }
    let policy = connector.policy(of: origin)
    return shared.values.filter { connection in
      let other = connection.destination.origin
      return connection.isOpen && (!attempt.isBesideTCP || connection.protocolName == "h3") && connection.destination.allowsSharing
        && other.port == origin.port && other.host != origin.host
        && connection.destination.traffic == attempt.destination.traffic
        && connection.peerAcceptance == .evaluated && identities.identity(for: other) == nil && connector.policy(of: other) == policy
    }
  }

  /// A server has said that it doesn't answer for the origin on the connection that the request came over (421; RFC 9110, 15.5.20).
  ///
  /// - Returns: What the load needs when it is sent again.
  package func misdirected(_ origin: Origin, _ context: LoadContext) -> ConnectionNeed {
    let destination = destination(origin, context)
    let foreign = shared.values.filter { $0.destination != destination && machine.serves($0.id, destination) }
    guard !foreign.isEmpty else {
      // RFC 7838, 6: an alternative that says so is to be forgotten.
      if context.record.networkProtocolName == "h3" { alternativeFailed(origin, context, wasReached: false) }
      return .fresh
    }
    for connection in foreign { machine.withdraw(connection.id, from: destination) }
    // From now on it has connections of its own.
    separate.insert(origin)
    replenish(destination)
    return .any
  }

  /// Origins that are remembered.
  static let separateLimit = 1024
}
