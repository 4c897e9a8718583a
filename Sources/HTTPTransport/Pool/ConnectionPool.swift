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
  /// Client certificates that the app has lent to the session.
  package let identities = ClientIdentityCache()
  /// The delegates that have been asked about servers.
  package let deciders = PeerDeciders()
  package let dialer: SocketDialer
  let connector: Connector
  let coalescing: Coalescing
  /// Opens connections that aren't the pool's, for what isn't HTTP.
  package let streams: StreamDialer
  /// HTTP/3 beside TCP.
  package private(set) lazy var alternatives = AlternativeRaces(
    self, attempts, executor: executor, clock: clock, connector: connector, plan: dialer.plan, versions: versions)
  /// Which versions of HTTP its connections may speak.
  let versions: HTTPVersions
  @exclusivity(unchecked) var machine: PoolMachine<Destination>
  @exclusivity(unchecked) var connections = OpenConnections()
  /// Connections that an authentication belongs to.
  package let bound = BoundConnections()
  @exclusivity(unchecked) var findings = ServerFindings()
  @exclusivity(unchecked) var waiting = WaitingLoads()
  /// Attempts whose outcome a load may want.
  let attempts = ConnectAttempts()
  let idleSweep: IdleSweep

  /// - Parameter watcher: Who is told of each step of its connections, if anyone is.
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

  /// A connection to `origin` that is ready: the caller's alone until its exchange ends, or with room for one exchange of the caller's.
  ///
  /// - Parameter evaluator: The load's app, if it may be asked about a new connection.
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

  /// As `lease`; nil if that would wait, or is needed for more than an idle connection or a place on a shared one.
  package func leaseAtOnce(
    _ origin: Origin, _ context: LoadContext, evaluator: @autoclosure () -> (any PeerEvaluator)? = nil
  ) throws(LoadError) -> HTTPConnection? {
    assert(executor.eventLoop.inEventLoop)
    try context.checkpoint()
    // Should it come back, it stands before all that set out later.
    if context.terms.turn == 0 { _ = waiting.turn(of: context) }
    guard !context.terms.mayBePipelined, !context.terms.assumesHTTP3, alternatives.areQuiet else { return nil }
    let destination = destination(origin, context)
    try versions.check(destination, dialer.plan)
    let evaluator = origin.isSecure ? evaluator() : nil
    let takes = evaluator.map { .asked(deciders.number(of: $0.decider)) } ?? PeerAcceptance.unasked
    guard let outcome = machine.requestAtOnce(destination, takes: takes) else { return nil }
    return connections.reserve(outcome)
  }

  /// Opens what a load that waits now needs.
  private func provide(_ outcome: PoolMachine<Destination>.RequestOutcome, for waiter: WaitingLoad) {
    switch outcome {
    case .connect: openConnection(waiter.destination, for: waiter.id)
    case .replace(let id):
      connections.removeSingle(id)?.close()
      openConnection(waiter.destination, for: waiter.id)
    case .wait, .lease, .join: if !bound.isEmpty { makeRoom(waiter.destination) }
    }
  }

  /// Claimed connections count against the limit: where a load waits, an idle one is closed.
  func makeRoom(_ destination: Destination) {
    guard machine.next(destination) != nil else { return }
    bound.retireSpare(to: destination)?.close()
  }

  /// The connection on which a request may follow others, if none is free and no more may be opened.
  private func followed(_ destination: Destination, _ takes: PeerAcceptance) -> HTTP1Connection? {
    guard machine.isFull(destination), findings.allowsPipelining(destination) else { return nil }
    return connections.followed(to: destination, takes)
  }

  /// What a load needs a connection to.
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
    // What belongs to a connection needs one of its own. Where the server speaks HTTP/1.1 anyhow, any will do.
    let any = Destination(origin, context.terms.route, traffic: context.terms.traffic)
    guard context.terms.needsOwnConnection, any.allowsHTTP2 else { return any }
    if case .single? = machine.negotiated(of: any), !machine.hasAlternative(any), alternatives.races[any] == nil { return any }
    return Destination(origin, context.terms.route, offer: .http1, traffic: context.terms.traffic)
  }

  /// Whether there are connections to a destination, in use or not.
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
      // The peer may have closed it meanwhile.
      guard connections.single[connection.id] != nil else { return }
      if connection.unreserve() { connectionBecameIdle(connection) }
    case .shared(let connection):
      connection.reservedStreams -= 1
      connectionGainedStreams(connection)
    }
  }
}
