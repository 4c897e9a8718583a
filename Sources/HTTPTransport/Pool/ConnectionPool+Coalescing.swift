import LoadingModel
import NIOCore

// One connection for several origins (RFC 9113, 9.1.1).

extension ConnectionPool {
  /// Serves those who wait for `attempt` on a connection to another origin, if there is one that leads to the same server.
  ///
  /// - Returns: Whether the attempt is done with.
  func coalesce(_ attempt: ConnectAttempt) async -> Bool {
    guard attempt.offersHTTP2 || attempt.isBesideTCP, !candidates(for: attempt).isEmpty else { return false }
    let endpoint = attempt.isBesideTCP ? alternatives.races[attempt.destination]?.endpoint : nil
    guard let addresses = await coalescing.addresses(attempt, at: endpoint?.host ?? attempt.origin.host) else { return false }
    // All may be different now: connections have come and gone.
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
    // What an app says about one origin's server isn't said about another's.
    guard !connections.shared.isEmpty, !findings.isSeparate(attempt.origin), attempt.cause.map(waiting.isAsked) != true,
      !attempt.isBesideTCP || alternatives.races[attempt.destination]?.companion == nil
    else { return [] }
    return coalescing.candidates(for: attempt, among: connections.shared)
  }

  /// A server has said that it doesn't answer for the origin on the connection that the request came over (421; RFC 9110, 15.5.20).
  ///
  /// - Returns: What the load needs when it is sent again.
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
    // From now on it has connections of its own.
    findings.separate(origin)
    replenish(destination)
    return .any
  }

  /// RFC 7838, 6: an alternative that doesn't serve the origin is to be forgotten.
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

  /// Whether the answer over HTTP/3 may not be the origin's, but of a place that was said to serve it. Where the connection is gone, what is
  /// said now has to do.
  package func mayBeElsewhere(_ origin: Origin, _ context: LoadContext) -> Bool {
    let used = connections.overHTTP3(to: destination(origin, context))
    return used.isEmpty ? alternatives.isNamed(origin) : used.contains { $0.alternative != nil }
  }
}
