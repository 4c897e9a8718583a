import LoadingModel
import NIOCore

/// The connections of one URL session: hands them to loads, keeps idle ones, opens new ones up to the limit per host.
///
/// Decisions are the `PoolMachine`'s. Owned by the session; confined to its event loop.
package final class ConnectionPool: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`.

  /// A load that waits for a connection.
  private final class Waiter: Interruptible {
    let id: Int
    let origin: Origin
    unowned let pool: ConnectionPool
    var continuation: UnsafeContinuation<Result<HTTP1Connection, LoadError>, Never>?

    init(_ id: Int, _ origin: Origin, _ pool: ConnectionPool) {
      self.id = id
      self.origin = origin
      self.pool = pool
    }

    func interrupt(_ error: LoadError) {
      pool.machine.left(origin, id)
      pool.resume(id, with: .failure(error))
    }

    func suspensionEnded() {}
  }

  /// Seconds an unused connection is kept.
  package static let idleLifetime = 60.0

  package let tickets = TLSTicketStore()
  private let executor: LoopExecutor
  private let clock: any LoadClock
  private let connector: Connector
  @exclusivity(unchecked) private var machine: PoolMachine<Origin>
  @exclusivity(unchecked) private var connections: [Int: HTTP1Connection] = [:]
  private var waiters: [Int: Waiter] = [:]
  /// Sockets on which no connection is ready yet.
  private var attempts: [Int: HTTP1Connection] = [:]
  @exclusivity(unchecked) private var nextID = 0
  private var isSweepPlanned = false

  package init(executor: LoopExecutor, clock: any LoadClock, tls: TLSSettings, maximumPerHost: Int) {
    self.executor = executor
    self.clock = clock
    connector = Connector(executor: executor, clock: clock, tls: tls, tickets: tickets)
    machine = PoolMachine(limit: maximumPerHost)
  }

  /// A connection to `origin` that is ready and the caller's alone until its exchange ends.
  package func lease(_ origin: Origin, _ context: LoadContext) async throws(LoadError) -> HTTP1Connection {
    executor.eventLoop.assertInEventLoop()
    try context.checkpoint()
    nextID += 1
    let id = nextID
    let action = machine.request(origin, waiter: id, priority: context.priority)
    if case .lease(let connectionID) = action, let connection = connections[connectionID] {
      connection.reserve()
      return connection
    }
    let waiter = Waiter(id, origin, self)
    waiters[id] = waiter
    context.waits(on: waiter)
    if case .connect = action { openConnection(origin) }
    let result = await withUnsafeContinuation { waiter.continuation = $0 }
    context.waits(on: nil)
    return try result.get()
  }

  /// Gives back a connection on which no exchange was begun.
  package func giveBack(_ connection: HTTP1Connection) {
    // The peer may have closed it meanwhile.
    guard connections[connection.id] != nil else { return }
    connection.unreserve()
    connectionBecameIdle(connection)
  }

  /// Closes idle connections and keeps none from now on; those in use close when their exchange ends.
  package func drain() {
    for id in machine.drain() { forget(id)?.close() }
    for attempt in attempts.values { attempt.close() }
  }

  /// Closes idle connections, so that later loads open new ones.
  package func closeIdle() {
    for id in machine.evict(idleSince: .max) { forget(id)?.close() }
    tickets.removeAll()
  }

  /// Closes the idle connections to one origin: the next load there gets a fresh one.
  package func closeIdle(to origin: Origin?) {
    guard let origin else { return }
    for id in machine.evict(origin) { forget(id)?.close() }
  }

  private func openConnection(_ origin: Origin) {
    nextID += 1
    let id = nextID
    Task(executorPreference: executor) { [self] in
      do throws(LoadError) {
        let connection = try await connector.open(id, origin, owner: self)
        attempts[id] = nil
        connections[id] = connection
        perform(machine.connected(origin, id, now: clock.now.nanoseconds), for: connection)
      } catch {
        attempts[id] = nil
        fail(origin, error)
      }
    }
  }

  private func fail(_ origin: Origin, _ error: LoadError) {
    guard case .fail(let waiter, let reconnect) = machine.connectFailed(origin) else { return }
    resume(waiter, with: .failure(error))
    if reconnect { openConnection(origin) }
  }

  private func perform(_ action: PoolMachine<Origin>.Action, for connection: HTTP1Connection) {
    switch action {
    case .serve(let waiter, _): resume(waiter, with: .success(connection))
    case .park: planSweep()
    case .close:
      forget(connection.id)
      connection.close()
      if case .connect = machine.replenish(connection.origin) { openConnection(connection.origin) }
    case .none, .lease, .connect, .fail: break
    }
  }

  private func resume(_ id: Int, with result: Result<HTTP1Connection, LoadError>) {
    guard let waiter = waiters.removeValue(forKey: id) else {
      // A legal race: the load left between the machine's decision and now.
      if case .success(let connection) = result { connectionBecameIdle(connection) }
      return
    }
    if case .success(let connection) = result { connection.reserve() }
    waiter.continuation?.resume(returning: result)
  }

  @discardableResult
  private func forget(_ id: Int) -> HTTP1Connection? {
    connections.removeValue(forKey: id)
  }

  private func planSweep() {
    guard !isSweepPlanned, let oldest = machine.oldestIdle else { return }
    isSweepPlanned = true
    let deadline = Instant(nanoseconds: oldest).advanced(bySeconds: ConnectionPool.idleLifetime)
    clock.wake(at: deadline) { [weak self] in
      guard let self else { return }
      self.executor.eventLoop.execute { self.sweep() }
    }
  }

  private func sweep() {
    isSweepPlanned = false
    let age = UInt64(ConnectionPool.idleLifetime * 1e9)
    let now = clock.now.nanoseconds
    if now >= age { for id in machine.evict(idleSince: now - age) { forget(id)?.close() } }
    planSweep()
  }
}

extension ConnectionPool: ConnectionOwner {
  func connectionBegan(_ connection: HTTP1Connection) {
    attempts[connection.id] = connection
    // The session may have ended while the socket was connecting.
    if machine.isDraining, connection.isConnecting { connection.close() }
  }

  func connectionBecameIdle(_ connection: HTTP1Connection) {
    let action = machine.released(connection.origin, connection.id, reusable: connection.isIdle, now: clock.now.nanoseconds)
    perform(action, for: connection)
  }

  func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool) {
    guard forget(connection.id) != nil else { return }
    if wasInUse {
      if case .connect = machine.closedInUse(connection.origin) { openConnection(connection.origin) }
    } else {
      machine.closedIdle(connection.origin, connection.id)
    }
  }
}
