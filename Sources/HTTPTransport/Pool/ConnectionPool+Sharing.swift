import LoadingModel

/// Which versions of HTTP a session speaks.
package enum HTTPVersions: Sendable {
  case http1
  /// The server chooses, by ALPN.
  case http1AndHTTP2
  /// As `http1AndHTTP2`, and HTTP/3 where an origin is known to be served over it and the package was built with it.
  case all
  /// HTTP/3 alone: no connection over TCP is made for HTTP.
  case http3Only
}

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
    shared[connection.id] = connection
    if !isTaken { noteFreeStreams(connection) }
    serveWaiting(connection)
    planSweep()
  }

  /// A stream for a WebSocket, on a connection that is there and whose server takes them (RFC 8441); nil where an upgrade of HTTP/1.1 is the
  /// way. None is opened to find out, as browsers open none.
  package func leaseTunnel(_ origin: Origin, _ context: LoadContext, evaluator: @autoclosure () -> (any PeerEvaluator)?) -> (
    any MultiplexedConnection
  )? {
    guard !shared.isEmpty, origin.scheme == "wss", context.terms.authentication == nil, case .any = context.terms.need,
      !restricted.contains(origin)
    else { return nil }
    let destination = Destination(
      Origin(scheme: "https", host: origin.host, port: origin.port, isUnixSocket: origin.isUnixSocket), context.terms.route,
      traffic: context.terms.traffic)
    guard !restricted.contains(destination.origin) else { return nil }
    let takes = evaluator().map { .asked(deciders.number(of: $0.decider)) } ?? PeerAcceptance.unasked
    let id = machine.joinAtOnce(destination, takes: takes) { id in shared[id]?.hasRoomForTunnel ?? false }
    guard let id, let connection = shared[id] else { return nil }
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

  /// Tells the machine how many streams are free; whether all are.
  @discardableResult
  private func noteFreeStreams(_ connection: any MultiplexedConnection) -> Bool {
    let isUnused = connection.openStreams == 0 && connection.reservedStreams == 0
    machine.gained(
      connection.id, free: connection.availableStreams - connection.reservedStreams, isUnused: isUnused, now: clock.now.nanoseconds)
    return isUnused
  }

  /// The origin wants HTTP/1.1.
  package func restrict(_ origin: Origin?) {
    guard let origin else { return }
    restricted.insert(origin)
  }

  /// Origins that are remembered.
  static let restrictedLimit = 1024

  package func connectionGainedStreams(_ connection: any MultiplexedConnection) {
    let isUnused = noteFreeStreams(connection)
    serveWaiting(connection)
    guard isUnused else { return }
    if machine.isDraining || !connection.destination.allowsReuse { connection.shutDown() } else { planSweep() }
  }

  package func connectionGoesAway(_ connection: any MultiplexedConnection) {
    for destination in machine.sharedEnded(connection.id) { replenish(destination) }
  }

  package func connection(_ connection: any MultiplexedConnection, announces alternatives: String, of origin: Origin) {
    if !connection.facts.isTrustOverridden { alternativesAnnounced?(alternatives, origin) }
  }

  package func connectionClosed(_ connection: any MultiplexedConnection) {
    shared[connection.id] = nil
    if connection.protocolName == "h3", !machine.isDraining { alternativeAppeared(connection.destination.origin) }
    for destination in machine.sharedEnded(connection.id) { replenish(destination) }
  }
}

extension MultiplexedConnection {
  /// WebSockets stay for long: they take no more than half of the streams that the server allows, so that loads have some.
  fileprivate var hasRoomForTunnel: Bool {
    allowsExtendedConnect && availableStreams - reservedStreams > max(1, maximumStreams / 2)
  }
}
