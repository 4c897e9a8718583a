import LoadingModel

// What attempts and connections ask of the pool, and tell it.

extension ConnectionPool: AttemptOwner {
  package func questions(for attempt: ConnectAttempt) -> PeerChallengeHandler? {
    let waiter = attempt.isBesideTCP ? nil : asker(for: attempt)
    if let waiter {
      guard waiter.evaluator != nil else { return nil }
    } else {
      // Every load that waits has a handshake of its own; this one may still be wanted in the place of one that fails.
      let isWanted = attempt.isBesideTCP && races[attempt.destination]?.companion != nil
      guard isWanted || machine.line(attempt.destination).contains(where: { waiters[$0]?.evaluator != nil }) else { return nil }
    }
    let questions = PeerChallengeHandler(
      attempt.origin, waiter?.asked, identities: identities, requiresEvaluation: attempt.isElsewhere
    ) { [weak self, weak attempt] decider in
      attempt.flatMap { $0.isBesideTCP ? self?.asked(by: $0, decider) : self?.successor(for: $0, decider) }
    }
    if attempt.isBesideTCP {
      questions.lacks = { [weak self, weak attempt] in if let attempt { self?.lacksAsker(attempt) } }
    }
    attempt.questions = questions
    return questions
  }

  package func routeAttempt(for attempt: ConnectAttempt) -> RouteAttempt? { asker(for: attempt)?.context.terms.routeAttempt }

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
  private func successor(for attempt: ConnectAttempt, _ decider: Int?) -> PeerChallengeHandler.Load? {
    let line = machine.line(attempt.destination).lazy.compactMap { self.waiters[$0] }
    let waiter = line.first { $0.attempt == nil && $0.mayBeAsked(as: decider) }
    if waiter != nil { attempt.hasYielded = false }
    waiter?.attempt = attempt
    attempt.asker = waiter?.id
    return waiter?.asked
  }

  package func connectionBecameIdle(_ connection: HTTP1Connection) {
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

  /// Does with a free connection what the machine has decided.
  func put(_ connection: HTTP1Connection, to first: PoolMachine<Destination>.ConnectionUse) {
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

  private func release(_ connection: HTTP1Connection, isReusable: Bool) -> PoolMachine<Destination>.ConnectionUse {
    machine.released(
      connection.destination, connection.id, reusable: isReusable, now: clock.now.nanoseconds, accepted: connection.peerAcceptance)
  }

  package func connectionSwitched(_ connection: HTTP1Connection) {
    connectionClosed(connection, wasInUse: true)
    switched[connection.id] = connection
  }

  package func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool) {
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
