import HTTPTransport
import LoadingModel
import ProtocolRules

/// Finds the connection that a request is sent on: one that its authentication has a right to, an idle one, or one that the load waits for.
///
/// `ExchangeStage`'s, a value without anything of its own.
struct ConnectionLeasing {
  // `unowned(unsafe)`: a load keeps its session while it runs; nothing has to be counted or checked at each use.
  unowned(unsafe) let session: LoadSession

  /// A kept connection for a load that has no conditions; nil if it must wait, or has some.
  // Not inlined: an async function that waits keeps room for all that is inlined into it, in each load.
  @inline(never)
  func atOnce(_ origin: Origin, _ request: LoadRequest, _ load: Load) throws(LoadError) -> HTTPConnection? {
    let (context, client) = (load.context, load.client)
    guard context.terms.authentication == nil, !context.terms.needsOwnConnection, !context.isSuspended,
      Connectivity(session, request, load).isUnrestricted
    else { return nil }
    if case .webSocket = context.terms.use { return nil }
    session.watchNetworks()
    // As in `lease`.
    if context.recordsSentFields { _ = session.settings.network.known }
    guard let connection = try session.pool.leaseAtOnce(origin, context, evaluator: client.peerEvaluator) else { return nil }
    return connection.isLeased || connection.exchangeCount == 0 ? connection : nil
  }

  /// A connection over a network that the load may use.
  // Not inlined: an async function that waits keeps room for all that is inlined into it, in each load.
  @inline(never)
  func reach(_ origin: Origin, _ request: LoadRequest, _ load: Load) async throws(LoadError) -> HTTPConnection {
    let (context, client) = (load.context, load.client)
    let connectivity = Connectivity(session, request, load)
    if connectivity.isUnrestricted {
      do throws(LoadError) { return try await lease(origin, context, client) } catch { throw await connectivity.adjusted(error) }
    }
    return try await connectivity.connection(
      { () throws(LoadError) in try await lease(origin, context, client) }, address: { $0.facts.localAddress },
      isKept: { $0.exchangeCount > 0 }, giveBack: { session.pool.giveBack($0) }, leave: { leaveKept(origin, context) })
  }

  /// The kept connections to `origin` use a network that this load may not use: idle ones are closed; where others are in use the load
  /// opens one of its own.
  private func leaveKept(_ origin: Origin, _ context: LoadContext) {
    let destination = session.pool.destination(origin, context)
    session.pool.closeIdle(to: destination)
    if session.pool.hasConnections(to: destination) { context.terms.need = .fresh }
  }

  private func lease(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> HTTPConnection {
    if context.terms.authentication != nil {
      // The way here may have been long: a file was opened, a mechanism asked.
      try context.checkpoint()
      if context.isSuspended { try await context.waitWhileSuspended() }
      if let bound = try leaseBound(origin, context, client) { return .single(bound) }
    }
    session.watchNetworks()
    // The metrics tell of the network: what is known of it is read while the load connects.
    if context.recordsSentFields { _ = session.settings.network.known }
    while true {
      if context.isSuspended { try await context.waitWhileSuspended() }
      if let tunnel = try leaseTunnel(origin, context, client) { return .shared(tunnel) }
      let connection = try await session.pool.lease(origin, context, evaluator: client.peerEvaluator)
      // The server closed a kept connection before anything was sent on it: whatever the method, the next one will do.
      if !connection.isLeased, connection.exchangeCount > 0 { continue }
      if context.failure == nil, !context.isSuspended {
        guard context.terms.needsOwnConnection else { return connection }
        if case .single(let single) = connection {
          if context.terms.authentication != nil { bind(single, context) }
          return connection
        }
        // The server has negotiated HTTP/2; from now on the pool knows that this load can't use it.
      }
      // Suspended or cancelled while it waited: others may use the connection.
      session.pool.giveBack(connection)
    }
  }

  // MARK: authenticated connections: a load whose authentication belongs to connections takes them before any other

  /// A connection that the load's authentication gives it a right to; nil if it can do with another one.
  private func leaseBound(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) throws(LoadError) -> HTTP1Connection? {
    guard let authentication = context.terms.authentication else { return nil }
    if let connection = session.pool.leaseBound(authentication, session.pool.destination(origin, context), evaluator: client.peerEvaluator)
    {
      context.terms.boundConnection = connection.id
      return connection
    }
    switch authentication.holder {
    case .credential: context.terms.boundConnection = nil
    case .handshake:
      // The first message may use any connection; the others belong to the one it used.
      guard context.terms.boundConnection == nil else {
        throw LoadError(.networkConnectionLost, .send, "the server closed the connection in the middle of an authentication")
      }
    }
    return nil
  }

  /// The first message of an authentication binds the connection to it.
  private func bind(_ connection: HTTP1Connection, _ context: LoadContext) {
    guard let authentication = context.terms.authentication, authentication.holder == .handshake else { return }
    session.pool.mark(connection, authentication)
    context.terms.boundConnection = connection.id
  }

  // MARK: WebSockets: streams of HTTP/2 or HTTP/3 where a connection's server takes them (RFC 8441, RFC 9220)

  /// A stream for the WebSocket that the load opens; nil if it needs a connection of HTTP/1.1.
  private func leaseTunnel(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) throws(LoadError) -> (
    any MultiplexedConnection
  )? {
    guard case .webSocket = context.terms.use else { return nil }
    try context.checkpoint()
    return session.pool.leaseTunnel(origin, context, evaluator: client.peerEvaluator)
  }

  // MARK: failures

  /// A request has failed that was the first on its connection of HTTP/3: where that says something of the way to the server, others take
  /// TCP for a while.
  func noteFailure(of connection: HTTPConnection, _ origin: Origin, _ context: LoadContext, _ error: LoadError) {
    guard case .shared(let shared) = connection, shared.protocolName == "h3", shared.exchangeCount == 1 else { return }
    let hasTimedOut = context.failure?.kind == .timedOut && context.record.responseStart == nil
    guard hasTimedOut || context.failure == nil && !shared.isOpen else { return }
    switch error.resendReason {
    case .refused, .outrun, .pathLost, .needsHTTP1, .unanswered: break
    case .notConnected, .staleConnection, .cutOff, nil: session.pool.alternatives.failed(origin, context)
    }
  }
}
