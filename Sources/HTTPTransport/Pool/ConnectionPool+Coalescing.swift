import LoadingModel
import NIOCore

// Connection coalescing (RFC 9113, 9.1.1), and its end by 421 (Misdirected Request).

extension ConnectionPool {
  /// Serves the loads that wait for `attempt` by a connection to another origin, if one leads to the same server.
  ///
  /// - Returns: Whether that was possible: then the attempt isn't needed any more.
  func coalesce(_ attempt: ConnectAttempt) async -> Bool {
    guard attempt.offersHTTP2 || attempt.isBesideTCP, !candidates(for: attempt).isEmpty else { return false }
    let endpoint = attempt.isBesideTCP ? alternatives.races[attempt.destination]?.endpoint : nil
    guard let addresses = await coalescing.addresses(attempt, at: endpoint?.host ?? attempt.origin.host) else { return false }
    // Connections may have been opened and closed during the look-up: the candidates are determined again.
    guard let fitting = candidates(for: attempt).first(where: { coalescing.leads($0, to: attempt, at: addresses) }),
      attempts.contains(attempt),
      machine.adopt(attempt.destination, fitting.id, isBeside: attempt.isBesideTCP, negotiated: negotiated(attempt.destination))
    else { return false }
    attempts.remove(attempt)
    serveWaiting(fitting)
    if !attempt.isBesideTCP { replenish(attempt.destination) }
    return true
  }

  private func candidates(for attempt: ConnectAttempt) -> [any MultiplexedConnection] {
    // If a load's app may be asked about the server, its answer counts for its own origin alone: the connection isn't shared with another origin.
    guard !connections.shared.isEmpty, !findings.isSeparate(attempt.origin), attempt.cause.map(waiting.isAsked) != true,
      !attempt.isBesideTCP || alternatives.races[attempt.destination]?.companion == nil
    else { return [] }
    return coalescing.candidates(for: attempt, among: connections.shared)
  }

  /// A server has answered 421: it doesn't serve `origin` on the connection that the request was sent over (RFC 9110, 15.5.20).
  ///
  /// - Returns: The connection that the load needs when its request is sent again.
  package func misdirected(_ origin: Origin, _ context: LoadContext) -> ConnectionNeed {
    let destination = destination(origin, context)
    let foreign = connections.shared.values.filter {
      $0.destination != destination && $0.protocolName == context.record.networkProtocolName && machine.serves($0.id, destination)
    }
    guard !foreign.isEmpty else {
      if context.record.networkProtocolName == "h3" { leaveAlternative(destination, context) }
      return .fresh
    }
    for connection in foreign { machine.withdraw(connection.id, from: destination) }
    // The origin isn't coalesced any more: it gets connections of its own.
    findings.separate(origin)
    replenish(destination)
    return .any
  }

  /// An alternative service has answered 421: it is forgotten (RFC 7838, 6), and its connections take no new exchanges.
  private func leaveAlternative(_ destination: Destination, _ context: LoadContext) {
    let used = connections.overHTTP3(to: destination)
    let elsewhere = used.filter { $0.alternative != nil }
    if elsewhere.isEmpty { alternatives.failed(destination.origin, context, wasReached: false) }
    if used.isEmpty { alternatives.refute(destination.origin) }
    for connection in elsewhere {
      if let place = connection.alternative { alternatives.refute(place, of: destination.origin) }
      connection.shutDown()
      connectionGoesAway(connection)
    }
  }

  /// Whether the response over HTTP/3 may come from an alternative service rather than from the origin's own place. If its connection is closed, the
  /// answer is whether an alternative is known now.
  package func mayBeElsewhere(_ origin: Origin, _ context: LoadContext) -> Bool {
    let used = connections.overHTTP3(to: destination(origin, context))
    return used.isEmpty ? alternatives.isNamed(origin) : used.contains { $0.alternative != nil }
  }
}
