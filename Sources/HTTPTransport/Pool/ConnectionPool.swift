import LoadingModel
import NIOCore
import ProtocolRules

/// The connections of one URL session: hands them to loads, keeps idle ones, opens new ones up to the limit per host.
///
/// Decisions are the `PoolMachine`'s. Owned by the session; confined to its event loop.
package final class ConnectionPool: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`.

  /// A load that waits for a connection.
  final class Waiter: Interruptible {
    let id: Int
    let destination: Destination
    unowned let pool: ConnectionPool
    let context: LoadContext
    /// The load's app, if it may be asked about the connection, and its delegate's number.
    let evaluator: (any PeerEvaluator)?
    let decider: Int
    /// The attempt whose handshake is made for this load.
    weak var attempt: ConnectAttempt?
    var continuation: UnsafeContinuation<Result<HTTPConnection, LoadError>, Never>?

    init(
      _ id: Int, _ destination: Destination, _ pool: ConnectionPool, _ context: LoadContext, _ evaluator: (any PeerEvaluator)?, decider: Int
    ) {
      self.id = id
      self.destination = destination
      self.pool = pool
      self.context = context
      self.evaluator = evaluator
      self.decider = decider
    }

    func interrupt(_ error: LoadError) {
      pool.noteAttempt(of: self)
      pool.left(destination, id)
      pool.resume(id, with: .failure(error))
    }

    func suspensionEnded() {}

    /// What a handshake needs to ask its app; nil if it may not be asked.
    var asked: PeerChallengeHandler.Load? { evaluator.map { PeerChallengeHandler.Load(evaluator: $0, context: context, decider: decider) } }
  }

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
  /// Whether servers may choose HTTP/2.
  private let versions: HTTPVersions
  @exclusivity(unchecked) var machine: PoolMachine<Destination>
  @exclusivity(unchecked) private(set) var connections: [Int: HTTP1Connection] = [:]
  /// Connections that carry another protocol by now, each for one load, until they are closed.
  private var switched: [Int: HTTP1Connection] = [:]
  /// Connections that carry many exchanges, until they are closed.
  @exclusivity(unchecked) var shared: [Int: HTTP2Connection] = [:]
  /// Origins that have asked for HTTP/1.1 (HTTP_1_1_REQUIRED; RFC 9113, 7).
  @exclusivity(unchecked) var restricted: Set<Origin> = []
  /// Origins that don't go over other origins' connections: a server has said that it doesn't answer for them.
  var separate: Set<Origin> = []
  private(set) var waiters: [Int: Waiter] = [:]
  /// Origins whose servers have broken connections on which requests followed one another.
  var unpipelined: Set<Origin> = []
  /// Told where else an origin is served, as a server that has proved to be it says outside of any response; the value of Alt-Svc.
  package var alternativesAnnounced: ((String, Origin) -> Void)?
  var hasWaiters: Bool { !waiters.isEmpty }
  /// Attempts whose outcome a load may want.
  var attempts: [Int: ConnectAttempt] = [:]
  @exclusivity(unchecked) private var nextID = 0
  /// Numbers that belong to one load.
  private static let turnsPerLoad = 256
  @exclusivity(unchecked) private var lastTurn = 0
  private var sweepWake: PlannedWake?

  package init(
    executor: LoopExecutor, clock: any LoadClock, tls: TLSSettings, maximumPerHost: Int, tlsPolicy: TLSPolicyRule? = nil,
    versions: HTTPVersions = .http1, sockets: SocketSettings = SocketSettings()
  ) {
    self.versions = versions
    self.executor = executor
    self.clock = clock
    self.tls = tls
    dialer = SocketDialer(executor: executor, clock: clock, settings: sockets)
    connector = Connector(
      executor: executor, clock: clock, dialer: dialer, tls: tls, policy: tlsPolicy, tickets: tickets, identities: identities)
    machine = PoolMachine(limit: maximumPerHost)
  }

  /// A connection to `origin` that is ready: the caller's alone until its exchange ends, or with room for one exchange of the caller's.
  ///
  /// - Parameter evaluator: The load's app, if it may be asked about a new connection.
  package func lease(
    _ origin: Origin, _ context: LoadContext, evaluator: @autoclosure () -> (any PeerEvaluator)? = nil
  ) async throws(LoadError) -> HTTPConnection {
    executor.eventLoop.assertInEventLoop()
    try context.checkpoint()
    let id = turn(context)
    let destination = destination(origin, context)
    let evaluator = origin.isSecure ? evaluator() : nil
    let decider = evaluator.map { deciders.number(of: $0.decider) } ?? 0
    let takes = evaluator == nil ? PeerAcceptance.unasked : .asked(decider)
    if context.terms.mayBePipelined, let connection = followed(destination, takes) {
      connection.reserve()
      return .single(connection)
    }
    let action = machine.request(
      destination, waiter: id, priority: context.priority.level, takes: takes, negotiated: negotiated(destination))
    if let connection = takeNow(action) { return connection }
    let waiter = Waiter(id, destination, self, context, evaluator, decider: decider)
    waiters[id] = waiter
    context.waits(on: waiter)
    provide(action, for: waiter)
    let result = await withUnsafeContinuation { waiter.continuation = $0 }
    context.waits(on: nil)
    return try result.get()
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
    if case .single? = machine.negotiated(of: any) { return any }
    return Destination(origin, context.terms.route, offer: .http1, traffic: context.terms.traffic)
  }

  /// Whether there are connections to a destination, in use or not.
  package func hasConnections(to destination: Destination) -> Bool {
    connections.values.contains { $0.destination.leads(to: destination) }
      || shared.values.contains { $0.destination.leads(to: destination) }
  }

  private func negotiated(_ destination: Destination) -> PoolMachine<Destination>.NegotiatedProtocol {
    if !restricted.isEmpty, restricted.contains(destination.origin) { return .single }
    return switch versions {
    case .http1: .single
    case .http1AndHTTP2: destination.allowsHTTP2 ? .unknown : .single
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

  /// Closes idle connections and keeps none from now on; those in use close when their exchange ends.
  package func drain() {
    for connection in bound.retireFree() { connection.close() }
    for id in machine.drain() { retire(id) }
    for id in machine.retireShared() { shared[id]?.shutDown() }
    for attempt in attempts.values { attempt.end() }
    cancelSweep()
  }

  /// No connection is kept any more.
  package var isDraining: Bool { machine.isDraining }

  /// Closes idle connections, so that later loads open new ones.
  package func closeIdle() {
    for connection in bound.retireFree() { connection.close() }
    for id in machine.evict(idleSince: .max) { retire(id) }
    for id in machine.retireShared() { shared[id]?.shutDown() }
    tickets.removeAll()
    identities.removeAll()
  }

  /// Closes the idle connections to one destination: the next load there gets a fresh one.
  package func closeIdle(to destination: Destination) {
    while let connection = bound.retireSpare(to: destination) { connection.close() }
    for id in machine.evict(destination) { retire(id) }
  }

  func openConnection(_ destination: Destination, for cause: Int? = nil) {
    nextID += 1
    let offersHTTP2 = if case .single = negotiated(destination) { false } else { true }
    let attempt = ConnectAttempt(nextID, destination, for: cause, offersHTTP2: offersHTTP2)
    attempts[attempt.id] = attempt
    Task(executorPreference: executor) { [self] in
      do throws(LoadError) {
        if destination.origin.isSecure || destination.isWrapped, !tls.isTrustStoreRead { await readTrustStore() }
        if await coalesce(attempt) { return }
        let connection = try await connector.open(attempt, owner: self)
        guard attempts.removeValue(forKey: attempt.id) != nil else { return connection.close() }
        connected(attempt, connection)
      } catch {
        attempt.questions?.withdraw(error)
        guard attempts.removeValue(forKey: attempt.id) != nil else { return }
        if attempt.hasLostPath { return openConnection(destination, for: cause) }
        if error.resendReason == .needsHTTP1 { restrict(destination.origin) }
        if attempt.asker != nil || attempt.questions != nil { return refuse(attempt, error) }
        fail(attempt, error)
      }
    }
  }

  private func connected(_ attempt: ConnectAttempt, _ connection: HTTPConnection) {
    let asker = attempt.questions == nil ? nil : attempt.asker
    switch connection {
    case .single(let connection):
      connections[attempt.id] = connection
      let use = machine.connected(
        attempt.destination, attempt.id, now: clock.now.nanoseconds, accepted: connection.peerAcceptance, for: asker)
      put(connection, to: use)
    case .shared(let connection): connected(attempt, connection, for: asker)
    }
    // The loads that waited to see what the server speaks.
    replenish(attempt.destination)
  }

  /// Whether the app of a load that waits has a say in what connection it gets.
  func waiterIsAsked(_ id: Int) -> Bool { waiters[id]?.evaluator != nil }

  /// Opens what connections those who wait need.
  func replenish(_ destination: Destination) {
    while case .connect = machine.replenish(destination) { openConnection(destination) }
  }

  /// The system's bundle is large, and no event loop should read files. If it can't be read, the handshake says so.
  func readTrustStore() async {
    let reading = BlockingThreads.files.runIfActive(eventLoop: executor.eventLoop) { [tls] in _ = try? tls.trustStore() }
    try? await reading.get()
  }

  /// A load no longer waits.
  private func left(_ destination: Destination, _ waiter: Int) {
    let endsAttempts = machine.left(destination, waiter)
    guard endsAttempts else { return }
    for attempt in attempts.values where attempt.destination == destination {
      attempts[attempt.id] = nil
      attempt.end()
    }
  }

  private func fail(_ attempt: ConnectAttempt, _ error: LoadError) {
    guard let failed = machine.connectFailed(attempt.destination) else { return }
    waiters[failed.waiter]?.context.note(failed: attempt.timings)
    resume(failed.waiter, with: .failure(error))
    if failed.reconnect { openConnection(attempt.destination) }
  }

  /// A load gives up: its metrics tell how far the attempt had come that was made for it.
  private func noteAttempt(of waiter: Waiter) {
    let attempt = waiter.attempt ?? attempts.values.first { $0.cause == waiter.id }
    if let attempt { waiter.context.note(failed: attempt.timings) }
  }

  /// An attempt failed whose handshake was made for one load, by its app's answers or without: others must not suffer from that.
  private func refuse(_ attempt: ConnectAttempt, _ error: LoadError) {
    let supply = machine.refused(attempt.destination, attempt.asker)
    if let waiter = attempt.asker {
      waiters[waiter]?.context.note(failed: attempt.timings)
      resume(waiter, with: .failure(error))
    }
    if case .connect = supply { openConnection(attempt.destination) }
  }

  /// Does with a free connection what the machine has decided.
  private func put(_ connection: HTTP1Connection, to first: PoolMachine<Destination>.ConnectionUse) {
    var use = first
    // A legal race: a load left between the machine's decision and now. Each is passed over once, so the loop ends.
    var absent: Set<Int> = []
    while true {
      switch use {
      case .serve(let waiter):
        if resume(waiter, with: .success(.single(connection))) { return }
        use = release(connection, isReusable: connection.isIdle && absent.insert(waiter).inserted)
      case .park: return planSweep()
      case .close:
        forget(connection.id)
        connection.close()
        if case .connect = machine.replenish(connection.destination) { openConnection(connection.destination) }
        return
      }
    }
  }

  /// Ends a load's wait; false if it has left already, and a connection meant for it is free again.
  @discardableResult
  func resume(_ id: Int, with result: Result<HTTPConnection, LoadError>) -> Bool {
    guard let waiter = waiters.removeValue(forKey: id) else { return false }
    if case .success(let connection) = result { connection.reserve() }
    if let questions = waiter.attempt?.questions { release(questions, result) }
    waiter.continuation?.resume(returning: result)
    return true
  }

  /// The load of `questions` waits no longer; over already if it got the very connection they were about.
  private func release(_ questions: PeerChallengeHandler, _ result: Result<HTTPConnection, LoadError>) {
    switch result {
    case .success: questions.withdraw(.cancelled(.secure))
    case .failure(let error): questions.withdraw(error)
    }
  }

  /// Closes an idle connection.
  private func retire(_ id: Int) {
    // One with many exchanges stays known until it is closed.
    if let connection = shared[id] { connection.close() } else { forget(id)?.close() }
  }

  @discardableResult
  private func forget(_ id: Int) -> HTTP1Connection? {
    connections.removeValue(forKey: id)
  }

  func planSweep() {
    guard sweepWake == nil, let oldest = [machine.oldestIdle, bound.oldestIdle].compactMap(\.self).min() else { return }
    let deadline = Instant(nanoseconds: oldest).advanced(bySeconds: ConnectionPool.idleLifetime)
    sweepWake = clock.plan(at: deadline) { [weak self] in
      guard let self else { return }
      self.executor.eventLoop.execute { self.sweep() }
    }
  }

  private func cancelSweep() {
    sweepWake?.cancel()
    sweepWake = nil
  }

  private func sweep() {
    sweepWake = nil
    let age = UInt64(ConnectionPool.idleLifetime * 1e9)
    let now = clock.now.nanoseconds
    if now >= age {
      for id in machine.evict(idleSince: now - age) { retire(id) }
      for connection in bound.retireFree(since: now - age) { connection.close() }
    }
    planSweep()
  }
}

extension ConnectionPool: ConnectionOwner {
  func questions(for attempt: ConnectAttempt) -> PeerChallengeHandler? {
    let waiter = asker(for: attempt)
    if let waiter {
      guard waiter.evaluator != nil else { return nil }
    } else {
      // Every load that waits has a handshake of its own; this one may still be wanted in the place of one that fails.
      guard machine.line(attempt.destination).contains(where: { waiters[$0]?.evaluator != nil }) else { return nil }
    }
    let questions = PeerChallengeHandler(attempt.origin, waiter?.asked, identities: identities) { [weak self, weak attempt] in
      attempt.flatMap { self?.successor(for: $0) }
    }
    attempt.questions = questions
    return questions
  }

  func routeAttempt(for attempt: ConnectAttempt) -> RouteAttempt? { asker(for: attempt)?.context.terms.routeAttempt }

  /// The load for which an attempt's tunnel and handshake are made: the one that caused it, or else the next without an attempt of its own.
  private func asker(for attempt: ConnectAttempt) -> Waiter? {
    if let known = attempt.asker.flatMap({ waiters[$0] }) { return known }
    let line = machine.line(attempt.destination).compactMap { waiters[$0] }
    let cause = attempt.cause.flatMap { waiters[$0] }
    let waiter = ([cause].compactMap(\.self) + line).first { $0.attempt == nil }
    waiter?.attempt = attempt
    attempt.asker = waiter?.id
    return waiter
  }

  /// The next load whose app can be asked about an attempt that has lost its own.
  private func successor(for attempt: ConnectAttempt) -> PeerChallengeHandler.Load? {
    let line = machine.line(attempt.destination).lazy.compactMap { self.waiters[$0] }
    let waiter = line.first { $0.attempt == nil && $0.evaluator != nil }
    waiter?.attempt = attempt
    attempt.asker = waiter?.id
    return waiter?.asked
  }

  func handshakeBegan(_ handshake: Handshake) {
    // The session may have ended while the socket was connecting.
    if machine.isDraining { handshake.close() }
  }

  func connectionBecameIdle(_ connection: HTTP1Connection) {
    var isReusable = connection.isIdle && connection.destination.allowsReuse
    if !bound.isEmpty {
      switch bound.becameFree(connection, now: clock.now.nanoseconds, isDraining: machine.isDraining) {
      case .unbound: break
      case .kept:
        makeRoom(connection.destination)
        return planSweep()
      case .close: isReusable = false
      }
    }
    put(connection, to: release(connection, isReusable: isReusable))
  }

  private func release(_ connection: HTTP1Connection, isReusable: Bool) -> PoolMachine<Destination>.ConnectionUse {
    machine.released(
      connection.destination, connection.id, reusable: isReusable, now: clock.now.nanoseconds, accepted: connection.peerAcceptance)
  }

  func connectionSwitched(_ connection: HTTP1Connection) {
    connectionClosed(connection, wasInUse: true)
    switched[connection.id] = connection
  }

  func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool) {
    guard forget(connection.id) != nil else {
      switched[connection.id] = nil
      return
    }
    // The machine counts a bound connection as in use, whatever it does.
    let wasBound = bound.remove(connection.id)
    if wasInUse || wasBound {
      if case .connect = machine.closedInUse(connection.destination) { openConnection(connection.destination) }
    } else {
      machine.closedIdle(connection.destination, connection.id)
    }
  }
}
