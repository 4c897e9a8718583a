import LoadingModel
import NIOCore
import ProtocolRules

// HTTP/3 and TCP: attempts over QUIC run beside those over TCP, and the connection that is ready first serves the loads that wait.

extension ConnectionPool {
  /// The attempt over QUIC that is under way to a destination, or that begins now; nil where only TCP is tried.
  ///
  /// - Parameters:
  ///   - isAssumed: Whether the request says that its origin speaks HTTP/3.
  ///   - companion: A load that has a connection over TCP already, if its app is asked about servers.
  ///   - isLastResort: Whether TCP leads nowhere: then a place is tried that has failed, too.
  func race(
    to destination: Destination, for cause: Int? = nil, isAssumed: @autoclosure () -> Bool, beside companion: Companion? = nil,
    isLastResort: Bool = false
  ) -> AlternativeRace? {
    if let race = races[destination] { return race }
    let origin = destination.origin
    guard case .all = versions, let opener, destination.allowsAlternatives,
      let endpoint = endpoint(of: origin, isAssumed: isAssumed())
    else { return nil }
    let place = AlternativeHistory.Place(destination.origin, endpoint)
    var startOfTCP = clock.now
    switch history.standing(of: place, now: startOfTCP) {
    case .broken: guard isLastResort, history.takeLastResort(place, now: startOfTCP) else { return nil }
    // It may not work from here at all: the first load must not become slower by it.
    case .untried: break
    case .proven: startOfTCP = startOfTCP.advanced(bySeconds: AlternativeRules.headStart)
    }
    nextID += 1
    let attempt = ConnectAttempt(nextID, destination, for: cause, offersHTTP2: false, isBesideTCP: true)
    (attempt.timings.watcher, attempt.timings.isQUIC) = (watcher, true)
    // A place that doesn't answer would hold up what was sent there.
    attempt.allowsEarlyData = startOfTCP > clock.now
    attempt.isElsewhere = (endpoint.host, endpoint.port) != (origin.host, origin.port) || !isAssumed()
    let race = AlternativeRace(attempt, at: endpoint, place, startOfTCP: startOfTCP, beside: companion)
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
    unexplored[attempt.origin] = nil
    if race.startOfTCP > clock.now { plan(at: race.startOfTCP, of: race) { $0.release($1) } }
    Task(executorPreference: executor) { [self] in
      do throws(LoadError) {
        if !tls.isTrustStoreRead { await readTrustStore() }
        if await coalesce(attempt) { return settle(race) }
        let connection = try await ready(attempt, at: race.endpoint, opener)
        guard attempts.removeValue(forKey: attempt.id) != nil else { return connection.close() }
        won(race, connection)
      } catch {
        // Without an entry it was ended from outside, and its race is over.
        let isKnown = attempts[attempt.id] != nil
        let hasFailed = saysSomething(of: attempt, error)
        attempts[attempt.id] = nil
        attempt.questions?.withdraw(error)
        if isKnown { lost(race, hasFailed ? error : nil) }
      }
    }
  }

  func plan(
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

  /// - Parameter error: What was wrong with the place; nil if nothing was.
  private func lost(_ race: AlternativeRace, _ error: LoadError?) {
    let attempt = race.attempt
    // Whatever its app has said about the server, it is asked about the origin's over TCP.
    if let asker = attempt.asker, waiters[asker]?.attempt === attempt { waiters[asker]?.attempt = nil }
    if let error { alternativeFailed(race.endpoint, of: attempt.origin, error) }
    end(race)
    if error == nil, attempt.questions?.wasWithdrawn == true, repeats(race) { return }
    concede(race)
    // The next load may find out.
    if attempt.foundNoAsker || attempt.questions?.wasWithdrawn == true { noteUnexplored(attempt.origin) }
  }

  /// The load whose app was asked has ended, and nothing was found wrong with the place: those that wait for the answer have their own tried
  /// there. Each time it was a load less.
  ///
  /// - Returns: Whether there are any.
  private func repeats(_ race: AlternativeRace) -> Bool {
    let destination = race.attempt.destination
    guard machine.next(destination) != nil, let next = self.race(to: destination, isAssumed: assumesHTTP3(destination, nil)) else {
      return false
    }
    for attempt in race.takeHeld() where !next.holds(attempt, clock.now) { open(attempt) }
    for (attempt, error) in race.takeFailures() { keep(attempt, error, next) }
    return true
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
    keep(attempt, error, race)
    return true
  }

  /// The server can't be reached over TCP, and HTTP/3 isn't tried because it has failed there: nothing else is left.
  ///
  /// - Returns: Whether the failure is kept until that is known, or for a moment.
  func takesLastResort(_ attempt: ConnectAttempt, _ error: LoadError) -> Bool {
    let destination = attempt.destination
    guard error.kind == .cannotConnectToHost, !attempt.isBesideTCP, races[destination] == nil, machine.next(destination) != nil,
      let race = race(
        to: destination, for: attempt.cause, isAssumed: assumesHTTP3(destination, attempt.cause), isLastResort: true)
    else { return false }
    keep(attempt, error, race, isLastResort: true)
    return true
  }

  private func keep(_ attempt: ConnectAttempt, _ error: LoadError, _ race: AlternativeRace, isLastResort: Bool = false) {
    race.keep(attempt, error)
    let isKnown = if case .proven = history.standing(of: race.place, now: clock.now) { true } else { !race.attempt.isElsewhere }
    let patience = isKnown || isLastResort ? AlternativeRules.longPatience : AlternativeRules.patience
    plan(at: clock.now.advanced(bySeconds: patience), of: race) { $0.tellFailures(of: $1) }
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
}

extension AlternativeHistory.Place {
  init(_ origin: Origin, _ endpoint: AlternativeEndpoint) { self.init(origin, host: endpoint.host, port: endpoint.port) }
}

extension LoadError {
  /// Whether it is what the app has decided.
  var isChoice: Bool { kind == .cancelled || kind == .userCancelledAuthentication }

  /// Whether it says what the app or the trust evaluation thinks of the server, or the server of the client: that would be no different
  /// over another connection to the same place.
  var isVerdict: Bool {
    switch kind {
    case .cancelled, .userCancelledAuthentication, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
      true
    default: false
    }
  }
}
