import LoadingModel
import ProtocolRules

// Connections that carry many exchanges at a time.

extension ConnectionPool {
  /// An attempt has brought a shared connection; the load it was made for comes first.
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

  /// A stream for a WebSocket, on a connection that is there and whose server takes them (RFC 8441); nil where an upgrade of HTTP/1.1 is the
  /// way. None is opened to find out, as browsers open none.
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

  /// Gives the streams that are free to those who wait.
  func serveWaiting(_ connection: any MultiplexedConnection) {
    guard hasWaiters else { return }
    // A legal race: a load left between the machine's decision and now. Each is passed over once, so the loop ends.
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

  /// The origin wants HTTP/1.1.
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
    // A ticket shows that there was a connection before.
    alternatives.failed(endpoint, of: origin, error, wasReached: true)
  }

  package func connectionClosed(_ connection: any MultiplexedConnection) {
    connections.remove(connection)
    if connection.protocolName == "h3", !machine.isDraining { alternatives.appeared(connection.destination.origin) }
    for destination in machine.sharedEnded(connection.id) { replenish(destination) }
  }
}

extension MultiplexedConnection {
  fileprivate var isUnused: Bool { openStreams == 0 && reservedStreams == 0 }

  /// WebSockets stay for long: they take no more than half of the streams that the server allows, so that loads have some.
  fileprivate var hasRoomForTunnel: Bool {
    allowsExtendedConnect && availableStreams - reservedStreams > max(1, maximumStreams / 2)
  }
}
