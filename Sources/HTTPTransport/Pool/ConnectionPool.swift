import LoadingModel
import NIOCore
import ProtocolRules

/// The connections of one URL session: hands them to loads, keeps idle ones, opens new ones up to the limit per host.
///
/// Decisions are the `PoolMachine`'s. Owned by the session; confined to its event loop.
package final class ConnectionPool: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`.
  let executor: LoopExecutor
  let clock: any LoadClock
  let tickets = TLSTicketStore()
  /// The client certificates that the app has supplied in this session, by origin.
  package let identities = ClientIdentityCache()
  /// The numbers of the delegates that have been asked about servers.
  package let deciders = PeerDeciders()
  package let dialer: SocketDialer
  let connector: Connector
  let coalescing: Coalescing
  /// Opens connections for protocols other than HTTP, which don't belong to the pool.
  package let streams: StreamDialer
  /// The attempts over QUIC (HTTP/3), which run beside those over TCP.
  package private(set) lazy var alternatives = AlternativeRaces(
    self, attempts, executor: executor, clock: clock, connector: connector, plan: dialer.plan, versions: versions)
  /// Which versions of HTTP its connections may speak.
  let versions: HTTPVersions
  @exclusivity(unchecked) var machine: PoolMachine<Destination>
  @exclusivity(unchecked) var connections = OpenConnections()
  /// The connections that are bound to an authentication (NTLM, Negotiate).
  package let bound = BoundConnections()
  @exclusivity(unchecked) var findings = ServerFindings()
  @exclusivity(unchecked) var waiting = WaitingLoads()
  /// The attempts that are under way and whose connections loads may still want.
  let attempts = ConnectAttempts()
  let idleSweep: IdleSweep
  /// Called when a connection has migrated to another local address, with exchanges of loads that may not use every network.
  package var moved: ((any MultiplexedConnection) -> Void)?

  /// - Parameter watcher: Receives each step of setting up a connection; nil where nothing is recorded.
  package init(
    executor: LoopExecutor, clock: any LoadClock, tls: TLSSettings, maximumPerHost: Int, tlsPolicy: TLSPolicyRule? = nil,
    versions: HTTPVersions = .http1, sockets: SocketSettings = SocketSettings(), dialing: DialPlan = DialPlan(),
    opener: (any AlternativeOpener)? = nil, watcher: (any ConnectionWatcher)? = nil
  ) {
    self.versions = versions
    self.executor = executor
    self.clock = clock
    dialer = SocketDialer(executor: executor, clock: clock, settings: sockets, plan: dialing)
    connector = Connector(
      executor: executor, clock: clock, dialer: dialer, tls: tls, policy: tlsPolicy, tickets: tickets, identities: identities,
      watcher: watcher)
    coalescing = Coalescing(dialer: dialer, connector: connector, identities: identities)
    streams = StreamDialer(executor: executor, clock: clock, connector: connector, deciders: deciders)
    idleSweep = IdleSweep(executor: executor, clock: clock)
    machine = PoolMachine(limit: maximumPerHost)
    alternatives.opener = opener
  }

  /// Leases a connection to `origin`: an HTTP/1.1 connection for this load alone until its exchange ends, or a stream of a multiplexed one. Waits
  /// until one is available.
  ///
  /// - Parameter evaluator: The load's app, if it may be asked about a new connection's server; nil to ask no app.
  package func lease(
    _ origin: Origin, _ context: LoadContext, evaluator: @autoclosure () -> (any PeerEvaluator)? = nil
  ) async throws(LoadError) -> HTTPConnection {
    assert(executor.eventLoop.inEventLoop)
    try context.checkpoint()
    let id = waiting.turn(of: context)
    let destination = destination(origin, context)
    try versions.check(destination, dialer.plan)
    let evaluator = origin.isSecure ? evaluator() : nil
    let decider = evaluator.map { deciders.number(of: $0.decider) } ?? 0
    let takes = evaluator == nil ? PeerAcceptance.unasked : .asked(decider)
    if context.terms.mayBePipelined, let connection = followed(destination, takes) {
      connection.reserve()
      return .single(connection)
    }
    let action = machine.request(
      destination, waiter: id, priority: context.priority.level, takes: takes, negotiated: negotiated(destination))
    if let connection = connections.reserve(action) {
      if !alternatives.areQuiet || context.terms.assumesHTTP3 {
        alternatives.explore(destination, beside: connection, for: Companion(evaluator, context, decider: decider), context, takes)
      }
      return connection
    }
    let waiter = WaitingLoad(id, destination, self, context, evaluator, decider: decider)
    waiting.add(waiter)
    context.waits(on: waiter)
    provide(action, for: waiter)
    let result = await withUnsafeContinuation { waiter.continuation = $0 }
    context.waits(on: nil)
    return try result.get()
  }

  /// As `lease`, but without waiting: nil unless an idle connection or a free stream is available at once.
  package func leaseAtOnce(
    _ origin: Origin, _ context: LoadContext, evaluator: @autoclosure () -> (any PeerEvaluator)? = nil
  ) throws(LoadError) -> HTTPConnection? {
    assert(executor.eventLoop.inEventLoop)
    try context.checkpoint()
    // The number is assigned even if nil is returned: when the load comes back to wait, it precedes loads that began later.
    if context.terms.turn == 0 { _ = waiting.turn(of: context) }
    guard !context.terms.mayBePipelined, !context.terms.assumesHTTP3, alternatives.areQuiet else { return nil }
    let destination = destination(origin, context)
    try versions.check(destination, dialer.plan)
    let evaluator = origin.isSecure ? evaluator() : nil
    let takes = evaluator.map { .asked(deciders.number(of: $0.decider)) } ?? PeerAcceptance.unasked
    guard let outcome = machine.requestAtOnce(destination, takes: takes) else { return nil }
    return connections.reserve(outcome)
  }

  /// Begins what the machine has decided for a load that has to wait.
  private func provide(_ outcome: PoolMachine<Destination>.RequestOutcome, for waiter: WaitingLoad) {
    switch outcome {
    case .connect: openConnection(waiter.destination, for: waiter.id)
    case .replace(let id):
      connections.removeSingle(id)?.close()
      openConnection(waiter.destination, for: waiter.id)
    case .wait, .lease, .join: if !bound.isEmpty { makeRoom(waiter.destination) }
    }
  }

  /// Closes an idle bound connection if a load waits for the same destination, as bound connections count against the limit per host.
  func makeRoom(_ destination: Destination) {
    guard machine.next(destination) != nil else { return }
    bound.retireSpare(to: destination)?.close()
  }

  /// A connection on which the request can be pipelined, if the limit of connections is reached and none is idle; else nil.
  private func followed(_ destination: Destination, _ takes: PeerAcceptance) -> HTTP1Connection? {
    guard machine.isFull(destination), findings.allowsPipelining(destination) else { return nil }
    return connections.followed(to: destination, takes)
  }

  /// The destination of the connection that a load to `origin` needs, according to its terms and to what the server has asked for.
  package func destination(_ origin: Origin, _ context: LoadContext) -> Destination {
    switch context.terms.need {
    case .any:
      guard context.terms.needsOwnConnection || findings.restrictAny else {
        return Destination(origin, context.terms.route, traffic: context.terms.traffic)
      }
    case .fresh:
      return Destination(origin, context.terms.route, offer: .own(attempts.makeID()), traffic: context.terms.traffic)
    }
    if findings.isRestricted(origin) { return Destination(origin, context.terms.route, offer: .http1, traffic: context.terms.traffic) }
    // A load that binds or switches its connection needs HTTP/1.1. If the server only speaks HTTP/1.1 anyway, any connection to it will do.
    let any = Destination(origin, context.terms.route, traffic: context.terms.traffic)
    guard context.terms.needsOwnConnection, any.allowsHTTP2 else { return any }
    if case .single? = machine.negotiated(of: any), !machine.hasAlternative(any), alternatives.races[any] == nil { return any }
    return Destination(origin, context.terms.route, offer: .http1, traffic: context.terms.traffic)
  }

  /// Whether the pool has a connection to `destination`, idle or in use.
  package func hasConnections(to destination: Destination) -> Bool { connections.lead(to: destination) }

  func negotiated(_ destination: Destination) -> PoolMachine<Destination>.NegotiatedProtocol {
    findings.isRestricted(destination.origin) ? .single : versions.expected(of: destination)
  }

  /// Why the request of `context`, for which `connection` was leased, uses HTTP/3 or doesn't; nil for anything but https.
  package func alternativeUse(_ origin: Origin, _ context: LoadContext, on connection: HTTPConnection) -> AlternativeUse? {
    alternatives.use(origin, context, on: connection, isRestricted: findings.isRestricted(origin))
  }

  /// Gives back a connection on which no exchange was begun.
  package func giveBack(_ connection: HTTPConnection) {
    switch connection {
    case .single(let connection):
      // The peer may have closed the connection since it was leased.
      guard connections.single[connection.id] != nil else { return }
      if connection.unreserve() { connectionBecameIdle(connection) }
    case .shared(let connection):
      connection.reservedStreams -= 1
      connectionGainedStreams(connection)
    }
  }
}
