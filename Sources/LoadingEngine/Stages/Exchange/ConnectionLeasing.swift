import HTTPTransport
import LoadingModel
import ProtocolRules

/// Finds the connection on which a request is sent: one that its authentication is bound to, an idle one, or one that the load waits for.
///
/// Part of `ExchangeStage`, without state of its own.
struct ConnectionLeasing {
  // `unowned(unsafe)`, because a load keeps its session alive while it runs: the reference needs neither counting nor checks.
  unowned(unsafe) let session: LoadSession

  /// An idle connection for a load without special conditions; nil if the load has some, or must wait.
  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
  @inline(never)
  func atOnce(_ origin: Origin, _ request: LoadRequest, _ load: Load) throws(LoadError) -> HTTPConnection? {
    let (context, client) = (load.context, load.client)
    guard context.takesAnyConnection, Connectivity(session, request, load).isUnrestricted else { return nil }
    context.terms.access = .all
    session.watchNetworks()
    // Begins to read the networks' properties, which the metrics need.
    if context.recordsSentFields { _ = session.settings.network.known }
    guard let connection = try session.pool.leaseAtOnce(origin, context, evaluator: client.peerEvaluator) else { return nil }
    return connection.isLeased || connection.exchangeCount == 0 ? connection : nil
  }

  /// A connection over a network that the load may use; waits for one if necessary.
  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
  @inline(never)
  func reach(_ origin: Origin, _ request: LoadRequest, _ load: Load) async throws(LoadError) -> HTTPConnection {
    let (context, client) = (load.context, load.client)
    let connectivity = Connectivity(session, request, load)
    context.terms.access = connectivity.access
    if connectivity.isUnrestricted {
      do throws(LoadError) { return try await lease(origin, context, client) } catch { throw await connectivity.adjusted(error) }
    }
    return try await connectivity.connection(
      { () throws(LoadError) in try await lease(origin, context, client) }, address: { $0.facts.localAddress },
      isKept: { $0.exchangeCount > 0 }, giveBack: { session.pool.giveBack($0) }, leave: { leaveKept(origin, context) })
  }

  /// Gives up the kept connections to `origin`, because they use a network that this load may not use: idle ones are closed; if others are in
  /// use, the load will open a new one.
  private func leaveKept(_ origin: Origin, _ context: LoadContext) {
    let destination = session.pool.destination(origin, context)
    session.pool.closeIdle(to: destination)
    if session.pool.hasConnections(to: destination) { context.terms.need = .fresh }
  }

  private func lease(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> HTTPConnection {
    if context.terms.authentication != nil {
      // The load may have been suspended or interrupted since it began: a file was opened, or a mechanism asked.
      try context.checkpoint()
      if context.isSuspended { try await context.waitWhileSuspended() }
      if let bound = try leaseBound(origin, context, client) { return .single(bound) }
    }
    session.watchNetworks()
    // Begins to read the networks' properties, which the metrics need, while the load connects.
    if context.recordsSentFields { _ = session.settings.network.known }
    while true {
      if context.isSuspended { try await context.waitWhileSuspended() }
      if let tunnel = try leaseTunnel(origin, context, client) { return .shared(tunnel) }
      let connection = try await session.pool.lease(origin, context, evaluator: client.peerEvaluator)
      // The server has closed a kept connection before anything was sent on it: whatever the method, another one may be used.
      if !connection.isLeased, connection.exchangeCount > 0 { continue }
      if context.failure == nil, !context.isSuspended {
        guard context.terms.needsOwnConnection else { return connection }
        if case .single(let single) = connection {
          if context.terms.authentication != nil { bind(single, context) }
          return connection
        }
        // The server has negotiated HTTP/2, which this load can't use: from now on the pool knows that, and finds another connection.
      }
      // The load was suspended or interrupted while it waited, or can't use the connection: it goes back to the pool.
      session.pool.giveBack(connection)
    }
  }

  // MARK: authenticated connections, which a load with a bound authentication takes before any other

  /// A connection that is bound to the load's authentication; nil if there is none and another one will do.
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
      // The first message may use any connection; the later ones must use the same.
      guard context.terms.boundConnection == nil else {
        throw LoadError(.networkConnectionLost, .send, "the server closed the connection in the middle of an authentication")
      }
    }
    return nil
  }

  /// Binds the connection to an authentication whose first message is sent on it.
  private func bind(_ connection: HTTP1Connection, _ context: LoadContext) {
    guard let authentication = context.terms.authentication, authentication.holder == .handshake else { return }
    session.pool.mark(connection, authentication)
    context.terms.boundConnection = connection.id
  }

  // MARK: WebSockets over streams of HTTP/2 or HTTP/3, where the server supports them (RFC 8441, RFC 9220)

  /// A multiplexed connection on which the WebSocket is opened as a stream; nil if it needs an HTTP/1.1 connection.
  private func leaseTunnel(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) throws(LoadError) -> (
    any MultiplexedConnection
  )? {
    guard case .webSocket = context.terms.use else { return nil }
    try context.checkpoint()
    return session.pool.leaseTunnel(origin, context, evaluator: client.peerEvaluator)
  }

  // MARK: failures

  /// Notes that a request on an HTTP/3 connection that hasn't answered any has failed: if the cause may be the network path, later loads prefer TCP
  /// for a while.
  func noteFailure(of connection: HTTPConnection, _ origin: Origin, _ context: LoadContext, _ error: LoadError) {
    guard case .shared(let shared) = connection, shared.protocolName == "h3", !shared.hasAnswered else { return }
    let hasTimedOut = context.failure?.kind == .timedOut && context.record.responseStart == nil
    guard hasTimedOut || context.failure == nil && !shared.isOpen else { return }
    switch error.resendReason {
    case .refused, .outrun, .pathLost, .needsHTTP1, .unanswered: break
    case .notConnected, .staleConnection, .cutOff, nil: session.pool.alternatives.failed(origin, context)
    }
  }
}
