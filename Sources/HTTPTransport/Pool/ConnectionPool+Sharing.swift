import LoadingModel
import ProtocolRules

// Multiplexed connections (HTTP/2 and HTTP/3).

extension ConnectionPool {
  /// An attempt has opened a multiplexed connection: serves the load for which its handshake was made (`asker`) first, then the others that wait.
  func connected(_ attempt: ConnectAttempt, _ connection: any MultiplexedConnection, for asker: Int?) {
    let (free, now) = (connection.availableStreams, clock.now.nanoseconds)
    let use =
      attempt.isBesideTCP
      ? machine.connectedBeside(
        attempt.destination, connection.id, free: free, now: now, accepted: connection.peerAcceptance, for: asker,
        negotiated: negotiated(attempt.destination))
      : machine.connectedShared(
        attempt.destination, connection.id, free: free, now: now, accepted: connection.peerAcceptance,
        isAlternative: connection.protocolName == "h3", for: asker)
    var isTaken = true
    switch use {
    case .serve(let waiter): isTaken = resume(waiter, with: .success(.shared(connection)))
    case .park: break
    case .close: return connection.close()
    }
    connections.add(connection)
    if !isTaken { noteFreeStreams(connection) }
    serveWaiting(connection)
    keepOrClose(connection)
  }

  /// Keeps an unused connection for later loads, or closes it if none can come: the session has ended, or the connection is for one load alone.
  ///
  /// A connection whose attempt hasn't handed it over yet isn't in `connections`, and is left alone: its server's settings may arrive before.
  private func keepOrClose(_ connection: any MultiplexedConnection) {
    guard connection.isUnused, connections.shared[connection.id] != nil else { return }
    let isForLaterLoads = !machine.isDraining && connection.destination.allowsReuse
    if isForLaterLoads || machine.isAwaited(connection.id) { planSweep() } else { connection.shutDown() }
  }

  /// Leases a stream for a WebSocket on an open connection that supports extended CONNECT (RFC 8441). nil if there is none: then the WebSocket
  /// uses an HTTP/1.1 upgrade. As in browsers, no connection is opened just to find out.
  package func leaseTunnel(_ origin: Origin, _ context: LoadContext, evaluator: @autoclosure () -> (any PeerEvaluator)?) -> (
    any MultiplexedConnection
  )? {
    guard !connections.shared.isEmpty, origin.scheme == "wss", context.terms.authentication == nil, case .any = context.terms.need,
      !findings.isRestricted(origin)
    else { return nil }
    let destination = Destination(
      Origin(scheme: "https", host: origin.host, port: origin.port, isUnixSocket: origin.isUnixSocket), context.terms.route,
      traffic: context.terms.traffic)
    guard !findings.isRestricted(destination.origin) else { return nil }
    let takes = evaluator().map { .asked(deciders.number(of: $0.decider)) } ?? PeerAcceptance.unasked
    let id = machine.joinAtOnce(destination, takes: takes) { id in connections.shared[id]?.hasRoomForTunnel ?? false }
    guard let id, let connection = connections.shared[id] else { return nil }
    connection.reservedStreams += 1
    return connection
  }

  /// Gives the free streams of a connection to the loads that wait for it.
  func serveWaiting(_ connection: any MultiplexedConnection) {
    guard hasWaiters else { return }
    // A load chosen by the machine may have left before this call: the machine then chooses again. No load is chosen twice, so the loop ends.
    var absent: Set<Int> = []
    while let waiter = machine.next(on: connection.id) {
      if resume(waiter, with: .success(.shared(connection))) { continue }
      noteFreeStreams(connection)
      guard absent.insert(waiter).inserted else { return }
    }
  }

  /// Tells the machine how many streams are free.
  private func noteFreeStreams(_ connection: any MultiplexedConnection) {
    machine.gained(
      connection.id, free: connection.availableStreams - connection.reservedStreams, isUnused: connection.isUnused,
      now: clock.now.nanoseconds)
  }

  /// Notes that the origin's server wants HTTP/1.1 (HTTP_1_1_REQUIRED).
  package func restrict(_ origin: Origin?) {
    if let origin { findings.restrict(origin) }
  }

  package func connectionGainedStreams(_ connection: any MultiplexedConnection) {
    noteFreeStreams(connection)
    serveWaiting(connection)
    keepOrClose(connection)
  }

  package func connectionGoesAway(_ connection: any MultiplexedConnection) {
    for destination in machine.sharedEnded(connection.id) { replenish(destination) }
  }

  package func connection(_ connection: any MultiplexedConnection, announces alternatives: String, of origin: Origin) {
    if !connection.facts.isTrustOverridden { self.alternatives.announced?(alternatives, origin) }
  }

  package func alternativeFailed(_ endpoint: AlternativeEndpoint, of origin: Origin, _ error: LoadError) {
    // 0-RTT uses a ticket of an earlier connection, so the place had been reached before.
    alternatives.failed(endpoint, of: origin, error, wasReached: true)
  }

  package func connectionClosed(_ connection: any MultiplexedConnection) {
    connections.remove(connection)
    if connection.protocolName == "h3", !machine.isDraining { alternatives.appeared(connection.destination.origin) }
    for destination in machine.sharedEnded(connection.id) { replenish(destination) }
  }
}
