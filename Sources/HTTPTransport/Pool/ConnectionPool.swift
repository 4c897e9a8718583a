import LoadingModel
import NIOCore
import ProtocolRules

/// The connections of one URL session: hands them to loads, keeps idle ones, opens new ones up to the limit per host.
///
/// Decisions are the `PoolMachine`'s. Owned by the session; confined to its event loop.
package final class ConnectionPool: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`.

  /// Seconds an unused connection is kept.
  package static let idleLifetime = 60.0

  package let tickets = TLSTicketStore()
  /// Client certificates that the app has lent to the session.
  package let identities = ClientIdentityCache()
  /// The delegates that have been asked about servers.
  package let deciders = PeerDeciders()
  /// Connections that an authentication belongs to.
  let bound = BoundConnections()
  let executor: LoopExecutor
  let clock: any LoadClock
  package let dialer: SocketDialer
  let connector: Connector
  let tls: TLSSettings
  /// Opens connections of HTTP/3; nil in a build without it.
  var opener: (any AlternativeOpener)?
  /// Which versions of HTTP its connections may speak.
  let versions: HTTPVersions
  @exclusivity(unchecked) var machine: PoolMachine<Destination>
  @exclusivity(unchecked) var connections: [Int: HTTP1Connection] = [:]
  /// Connections that carry another protocol by now, each for one load, until they are closed.
  var switched: [Int: HTTP1Connection] = [:]
  /// Connections that carry many exchanges, until they are closed.
  @exclusivity(unchecked) var shared: [Int: any MultiplexedConnection] = [:]
  /// Origins that have asked for HTTP/1.1 (HTTP_1_1_REQUIRED; RFC 9113, 7).
  @exclusivity(unchecked) var restricted = BoundedTable<Origin, Void>(limit: restrictedLimit)
  /// Origins that don't go over other origins' connections: a server has said that it doesn't answer for them.
  var separate = BoundedTable<Origin, Void>(limit: separateLimit)
  var waiters: [Int: Waiter] = [:]
  /// Origins whose servers have broken connections on which requests followed one another.
  var unpipelined = BoundedTable<Origin, Void>(limit: unpipelinedLimit)
  /// Told where else an origin is served, as a server that has proved to be it says outside of any response; the value of Alt-Svc.
  package var alternativesAnnounced: ((String, Origin) -> Void)?
  /// Where else an origin is served over HTTP/3, as far as the session knows.
  package var alternative: ((Origin) -> AlternativeEndpoint?)?
  /// Told that an alternative of an origin has turned out not to be one.
  package var alternativeRefuted: ((AlternativeEndpoint, Origin) -> Void)?
  /// How attempts over HTTP/3 have ended.
  var history = AlternativeHistory()
  /// Attempts over QUIC beside those over TCP.
  var races: [Destination: AlternativeRace] = [:]
  /// Origins of which it is known that they are served over HTTP/3, and where it hasn't been tried since.
  var unexplored = BoundedTable<Origin, Void>(limit: unexploredLimit)
  var hasWaiters: Bool { !waiters.isEmpty }
  /// Attempts whose outcome a load may want.
  var attempts: [Int: ConnectAttempt] = [:]
  @exclusivity(unchecked) var nextID = 0
  /// Numbers that belong to one load.
  private static let turnsPerLoad = 256
  @exclusivity(unchecked) private var lastTurn = 0
  var sweepWake: PlannedWake?
  /// Who is told of each step of its connections, if anyone is.
  package var watcher: (any ConnectionWatcher)?

  package init(
    executor: LoopExecutor, clock: any LoadClock, tls: TLSSettings, maximumPerHost: Int, tlsPolicy: TLSPolicyRule? = nil,
    versions: HTTPVersions = .http1, sockets: SocketSettings = SocketSettings(), dialing: DialPlan = DialPlan(),
    opener: (any AlternativeOpener)? = nil
  ) {
    self.versions = versions
    self.executor = executor
    self.clock = clock
    self.tls = tls
    dialer = SocketDialer(executor: executor, clock: clock, settings: sockets, plan: dialing)
    connector = Connector(
      executor: executor, clock: clock, dialer: dialer, tls: tls, policy: tlsPolicy, tickets: tickets, identities: identities)
    machine = PoolMachine(limit: maximumPerHost)
    self.opener = opener
  }

  /// A connection to `origin` that is ready: the caller's alone until its exchange ends, or with room for one exchange of the caller's.
  ///
  /// - Parameter evaluator: The load's app, if it may be asked about a new connection.
  package func lease(
    _ origin: Origin, _ context: LoadContext, evaluator: @autoclosure () -> (any PeerEvaluator)? = nil
  ) async throws(LoadError) -> HTTPConnection {
    assert(executor.eventLoop.inEventLoop)
    try context.checkpoint()
    let id = turn(context)
    let destination = destination(origin, context)
    try requireHTTP3(destination)
    let evaluator = origin.isSecure ? evaluator() : nil
    let decider = evaluator.map { deciders.number(of: $0.decider) } ?? 0
    let takes = evaluator == nil ? PeerAcceptance.unasked : .asked(decider)
    if context.terms.mayBePipelined, let connection = followed(destination, takes) {
      connection.reserve()
      return .single(connection)
    }
    let action = machine.request(
      destination, waiter: id, priority: context.priority.level, takes: takes, negotiated: negotiated(destination))
    if let connection = takeNow(action) {
      if !unexplored.isEmpty || !races.isEmpty || context.terms.assumesHTTP3 {
        explore(destination, beside: connection, for: Companion(evaluator, context, decider: decider), context, takes)
      }
      return connection
    }
    let waiter = Waiter(id, destination, self, context, evaluator, decider: decider)
    waiters[id] = waiter
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
    if context.terms.turn == 0 { _ = turn(context) }
    guard !context.terms.mayBePipelined, !context.terms.assumesHTTP3, unexplored.isEmpty, races.isEmpty else { return nil }
    let destination = destination(origin, context)
    try requireHTTP3(destination)
    let evaluator = origin.isSecure ? evaluator() : nil
    let takes = evaluator.map { .asked(deciders.number(of: $0.decider)) } ?? PeerAcceptance.unasked
    return machine.requestAtOnce(destination, takes: takes).flatMap(takeNow)
  }

  /// The connection of a load that needn't wait.
  private func takeNow(_ outcome: PoolMachine<Destination>.RequestOutcome) -> HTTPConnection? {
    switch outcome {
    case .lease(let id):
      guard let connection = connections[id] else { return nil }
      connection.reserve()
      return .single(connection)
    case .join(let id):
      guard let connection = shared[id] else { return nil }
      connection.reservedStreams += 1
      return .shared(connection)
    case .connect, .replace, .wait: return nil
    }
  }

  /// Opens what a load that waits now needs.
  private func provide(_ outcome: PoolMachine<Destination>.RequestOutcome, for waiter: Waiter) {
    switch outcome {
    case .connect: openConnection(waiter.destination, for: waiter.id)
    case .replace(let id):
      forget(id)?.close()
      openConnection(waiter.destination, for: waiter.id)
    case .wait, .lease, .join: if !bound.isEmpty { makeRoom(waiter.destination) }
    }
  }

  /// The load's number in waiting lines. One that comes back, because a server refused it, stands before all that set out later: a server
  /// that sends GOAWAY after every few requests refuses no load for ever.
  private func turn(_ context: LoadContext) -> Int {
    if context.terms.turn == 0 || context.terms.turn % ConnectionPool.turnsPerLoad == ConnectionPool.turnsPerLoad - 1 {
      lastTurn += ConnectionPool.turnsPerLoad
      context.terms.turn = lastTurn
    } else {
      context.terms.turn += 1
    }
    return context.terms.turn
  }

  /// Claimed connections count against the limit: where a load waits, an idle one is closed.
  func makeRoom(_ destination: Destination) {
    guard machine.next(destination) != nil else { return }
    bound.retireSpare(to: destination)?.close()
  }

  /// Those that carry one exchange at a time, or what that has become.
  var singleConnections: [HTTP1Connection] { Array(connections.values) + switched.values }

  func isOpen(_ connection: HTTP1Connection) -> Bool { connections[connection.id] === connection }

  /// What a load needs a connection to.
  package func destination(_ origin: Origin, _ context: LoadContext) -> Destination {
    switch context.terms.need {
    case .any:
      guard context.terms.needsOwnConnection || !restricted.isEmpty else {
        return Destination(origin, context.terms.route, traffic: context.terms.traffic)
      }
    case .fresh:
      nextID += 1
      return Destination(origin, context.terms.route, offer: .own(nextID), traffic: context.terms.traffic)
    }
    if restricted.contains(origin) { return Destination(origin, context.terms.route, offer: .http1, traffic: context.terms.traffic) }
    // What belongs to a connection needs one of its own. Where the server speaks HTTP/1.1 anyhow, any will do.
    let any = Destination(origin, context.terms.route, traffic: context.terms.traffic)
    guard context.terms.needsOwnConnection, any.allowsHTTP2 else { return any }
    if case .single? = machine.negotiated(of: any), !machine.hasAlternative(any), races[any] == nil { return any }
    return Destination(origin, context.terms.route, offer: .http1, traffic: context.terms.traffic)
  }

  /// Whether there are connections to a destination, in use or not.
  package func hasConnections(to destination: Destination) -> Bool {
    connections.values.contains { $0.destination.leads(to: destination) }
      || shared.values.contains { $0.destination.leads(to: destination) }
  }

  func negotiated(_ destination: Destination) -> PoolMachine<Destination>.NegotiatedProtocol {
    if !restricted.isEmpty, restricted.contains(destination.origin) { return .single }
    return switch versions {
    case .http1: .single
    case .http1AndHTTP2, .all, .http3Only: destination.allowsHTTP2 ? .unknown : .single
    }
  }

  /// Gives back a connection on which no exchange was begun.
  package func giveBack(_ connection: HTTPConnection) {
    switch connection {
    case .single(let connection):
      // The peer may have closed it meanwhile.
      guard connections[connection.id] != nil else { return }
      if connection.unreserve() { connectionBecameIdle(connection) }
    case .shared(let connection):
      connection.reservedStreams -= 1
      connectionGainedStreams(connection)
    }
  }

  @discardableResult
  func forget(_ id: Int) -> HTTP1Connection? {
    connections.removeValue(forKey: id)
  }
}
