import LoadingModel
import NIOCore
import ProtocolRules

// HTTP/3 and TCP: attempts over QUIC run beside those over TCP, and the connection that is ready first serves the loads that wait.

extension ConnectionPool {
  /// The attempt over QUIC that is under way to a destination, or that begins now; nil where only TCP is tried.
  ///
  /// - Parameter isAssumed: Whether the request says that its origin speaks HTTP/3.
  func race(to destination: Destination, for cause: Int? = nil, isAssumed: @autoclosure () -> Bool) -> AlternativeRace? {
    if let race = races[destination] { return race }
    guard case .all = versions, let opener, destination.allowsAlternatives,
      let endpoint = endpoint(of: destination.origin, isAssumed: isAssumed())
    else { return nil }
    let place = AlternativeHistory.Place(destination.origin, endpoint)
    var startOfTCP = clock.now
    switch history.standing(of: place, now: startOfTCP) {
    case .broken: return nil
    // It may not work from here at all: the first load must not become slower by it.
    case .untried: break
    case .proven: startOfTCP = startOfTCP.advanced(bySeconds: AlternativeRules.headStart)
    }
    nextID += 1
    let attempt = ConnectAttempt(nextID, destination, for: cause, offersHTTP2: false, isBesideTCP: true)
    // A place that doesn't answer would hold up what was sent there.
    attempt.allowsEarlyData = startOfTCP > clock.now
    let race = AlternativeRace(attempt, at: endpoint, place, startOfTCP: startOfTCP)
    begin(race, opener)
    return race
  }

  /// Whether the load that a connection is opened for says that its origin speaks HTTP/3.
  func assumesHTTP3(_ destination: Destination, _ cause: Int?) -> Bool {
    let waiter = (cause ?? machine.next(destination)).flatMap { waiters[$0] }
    return waiter?.context.terms.assumesHTTP3 ?? false
  }

  private func begin(_ race: AlternativeRace, _ opener: any AlternativeOpener) {
    let attempt = race.attempt
    attempts[attempt.id] = attempt
    races[attempt.destination] = race
    unexplored.remove(attempt.origin)
    if race.startOfTCP > clock.now { plan(at: race.startOfTCP, of: race) { $0.release($1) } }
    Task(executorPreference: executor) { [self] in
      do throws(LoadError) {
        if !tls.isTrustStoreRead { await readTrustStore() }
        if await coalesce(attempt) { return settle(race) }
        let connection = try await ready(attempt, at: race.endpoint, opener)
        guard attempts.removeValue(forKey: attempt.id) != nil else { return connection.close() }
        won(race, connection)
      } catch {
        attempt.questions?.withdraw(error)
        // Without an entry it was ended from outside, and its race is over.
        if attempts.removeValue(forKey: attempt.id) != nil { lost(race, error) }
      }
    }
  }

  private func plan(
    at deadline: Instant, of race: AlternativeRace, _ action: @escaping @Sendable (ConnectionPool, AlternativeRace) -> Void
  ) {
    let wake = clock.plan(at: deadline) { [weak self, weak race] in
      self?.executor.eventLoop.execute { [weak self, weak race] in
        if let self, let race { action(self, race) }
      }
    }
    race.plans(wake)
  }

  private func won(_ race: AlternativeRace, _ connection: any MultiplexedConnection) {
    history.succeeded(race.place)
    connected(race.attempt, connection, for: race.attempt.questions == nil ? nil : race.attempt.asker)
    settle(race)
  }

  /// There is a connection of HTTP/3.
  private func settle(_ race: AlternativeRace) {
    let attempt = race.attempt
    end(race)
    if machine.relinquish(attempt.destination) { return abandonAttempts(to: attempt.destination) }
    // What those who still wait can't use is opened over TCP.
    concede(race)
  }

  private func lost(_ race: AlternativeRace, _ error: LoadError) {
    let attempt = race.attempt
    if let asker = attempt.asker, error.isVerdict {
      // The load's app has decided about the server: it isn't asked once more over TCP.
      waiters[asker]?.context.note(failed: attempt.timings)
      left(attempt.destination, asker)
      resume(asker, with: .failure(error))
    } else {
      if let asker = attempt.asker { waiters[asker]?.attempt = nil }
      if !attempt.hasLostPath, !attempt.foundNoAsker, error.kind != .notConnectedToInternet { history.failed(race.place, now: clock.now) }
    }
    end(race)
    concede(race)
  }

  /// TCP alone is left.
  private func concede(_ race: AlternativeRace) {
    tellFailures(of: race)
    release(race)
    replenish(race.attempt.destination)
  }

  private func end(_ race: AlternativeRace) {
    race.cancelWakes()
    if races[race.attempt.destination] === race { races[race.attempt.destination] = nil }
  }

  /// Begins the attempts over TCP that were held.
  func release(_ race: AlternativeRace) {
    for attempt in race.takeHeld() { open(attempt) }
  }

  private func tellFailures(of race: AlternativeRace) {
    for (attempt, error) in race.takeFailures() { conclude(attempt, error) }
  }

  /// Loads that wait for an attempt over TCP may still be served over QUIC.
  ///
  /// - Returns: Whether the failure is kept until that is known, or for a moment.
  func keeps(_ attempt: ConnectAttempt, _ error: LoadError) -> Bool {
    guard let race = races[attempt.destination], race.attempt !== attempt else { return false }
    if attempt.hasYielded {
      // Its load's app is being asked about the server over QUIC. Where nothing comes of that, there is another attempt.
      machine.yielded(attempt.destination)
      return true
    }
    guard !error.isVerdict, error.resendReason != .needsHTTP1 else { return false }
    if let asker = attempt.asker { waiters[asker]?.attempt = nil }
    race.keep(attempt, error)
    plan(at: clock.now.advanced(bySeconds: AlternativeRules.patience), of: race) { $0.tellFailures(of: $1) }
    return true
  }

  /// Ends all attempts to a destination, of which nothing is to be reported.
  func abandonAttempts(to destination: Destination) {
    if let race = races.removeValue(forKey: destination) {
      race.cancelWakes()
      _ = race.takeHeld()
      _ = race.takeFailures()
    }
    for attempt in attempts.values where attempt.destination == destination {
      attempts[attempt.id] = nil
      attempt.end()
    }
  }

  /// The app that an attempt over QUIC asks: that of a load whose attempt over TCP hasn't asked anything. That attempt won't.
  func asked(by attempt: ConnectAttempt) -> PeerChallengeHandler.Load? {
    let line = machine.line(attempt.destination).compactMap { waiters[$0] }.filter { $0.evaluator != nil }
    let waiter =
      line.first { $0.attempt == nil } ?? line.first { $0.attempt !== attempt && $0.attempt?.questions?.hasAsked == false }
    guard let waiter else {
      attempt.foundNoAsker = true
      return nil
    }
    if let other = waiter.attempt {
      other.questions?.yield()
      other.asker = nil
      other.hasYielded = true
    }
    waiter.attempt = attempt
    attempt.asker = waiter.id
    return waiter.asked
  }
}

extension AlternativeHistory.Place {
  init(_ origin: Origin, _ endpoint: AlternativeEndpoint) { self.init(origin, host: endpoint.host, port: endpoint.port) }
}

extension LoadError {
  /// Whether it says what the app or the trust evaluation thinks of the server, or the server of the client: that would be no different
  /// over another connection.
  fileprivate var isVerdict: Bool {
    switch kind {
    case .cancelled, .userCancelledAuthentication, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
      true
    default: false
    }
  }
}
