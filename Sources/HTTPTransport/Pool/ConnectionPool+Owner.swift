import LoadingModel

// Calls of connection attempts and connections to the pool, their owner.

extension ConnectionPool: AttemptOwner {
  package func questions(for attempt: ConnectAttempt) -> PeerChallengeHandler? {
    let waiter = attempt.isBesideTCP ? nil : waiting.asker(for: attempt, in: line(of: attempt.destination))
    if attempt.answers != nil {
      // The app has answered in an earlier handshake of the attempt: questions exist even if the load that was asked has left.
    } else if let waiter {
      guard waiter.evaluator != nil else { return nil }
    } else {
      // Each waiting load has an attempt of its own. This attempt gets questions if a load could use it when another attempt fails.
      let isWanted = attempt.isBesideTCP && alternatives.races[attempt.destination]?.companion != nil
      guard isWanted || waiting.areAsked(line(of: attempt.destination)) else { return nil }
    }
    let questions = PeerChallengeHandler(
      attempt.origin, waiter?.asked, identities: identities, requiresEvaluation: attempt.isElsewhere, knowing: attempt.answers
    ) { [weak self, weak attempt] decider in
      guard let self, let attempt else { return nil }
      return attempt.isBesideTCP
        ? alternatives.asked(by: attempt, decider)
        : waiting.successor(for: attempt, decider, in: line(of: attempt.destination))
    }
    if attempt.isBesideTCP {
      questions.lacks = { [weak self, weak attempt] in if let attempt { self?.alternatives.lacksAsker(attempt) } }
    }
    attempt.questions = questions
    return questions
  }

  package func routeAttempt(for attempt: ConnectAttempt) -> RouteAttempt? {
    waiting.asker(for: attempt, in: line(of: attempt.destination))?.context.terms.routeAttempt
  }

  package func connectionBecameIdle(_ connection: HTTP1Connection) {
    var isReusable = connection.isIdle && connection.destination.allowsReuse && !connection.isRetired
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

  /// Does what the machine has decided for a free connection: serves a load, keeps the connection or closes it.
  func put(_ connection: HTTP1Connection, to first: PoolMachine<Destination>.ConnectionUse) {
    var use = first
    // A load chosen by the machine may have left before this call: the machine then chooses again. No load is chosen twice, so the loop ends.
    var absent: Set<Int> = []
    while true {
      switch use {
      case .serve(let waiter):
        if resume(waiter, with: .success(.single(connection))) { return }
        use = release(connection, isReusable: connection.isIdle && absent.insert(waiter).inserted)
      case .park: return planSweep()
      case .close:
        _ = connections.removeSingle(connection.id)
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
    connections.switched(connection)
  }

  package func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool) {
    guard connections.removeSingle(connection.id) != nil else { return connections.removeSwitched(connection.id) }
    // The machine counts a bound connection as in use even while it is idle.
    let wasBound = bound.remove(connection.id)
    if wasInUse || wasBound {
      if case .connect = machine.closedInUse(connection.destination) { openConnection(connection.destination) }
    } else {
      machine.closedIdle(connection.destination, connection.id)
    }
  }

  package func connectionTakesFollowers(_ connection: HTTP1Connection) {
    let destination = connection.destination
    guard hasWaiters, connection.takesFollower, findings.allowsPipelining(destination) else { return }
    // Loads are pipelined in the order of the line: one that can't be pipelined stops the loop, so that none overtakes it.
    while connection.takesFollower, let id = machine.next(destination), waiting[id]?.context.terms.mayBePipelined == true,
      machine.served(destination, id, for: connection.peerAcceptance)
    {
      resume(id, with: .success(.single(connection)))
    }
  }

  package func pipelineBroke(_ connection: HTTP1Connection) { findings.pipelineBroke(connection.destination.origin) }
}

// The pool's functions for `AlternativeRaces`, beyond those for attempts over TCP.
extension ConnectionPool: RaceOwner {
  func hasAlternative(_ destination: Destination, for takes: PeerAcceptance) -> Bool { machine.hasAlternative(destination, for: takes) }

  func yielded(_ destination: Destination) { machine.yielded(destination) }

  func relinquish(_ destination: Destination) -> Bool {
    guard machine.relinquish(destination) else { return false }
    abandonAttempts(to: destination)
    return true
  }
}
