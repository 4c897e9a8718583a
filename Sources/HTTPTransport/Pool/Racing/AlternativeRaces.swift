import LoadingModel
import NIOCore
import ProtocolRules

/// HTTP/3 and TCP: attempts over QUIC run beside those over TCP, and the connection that is ready first serves the loads that wait.
///
/// Owned by the pool; confined to its event loop.
package final class AlternativeRaces: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`.
  // `@exclusivity(unchecked)`: no call that modifies one of these properties accesses it again.
  unowned let owner: any RaceOwner
  /// The owner's, those over TCP as well.
  let attempts: ConnectAttempts
  let executor: LoopExecutor
  let clock: any LoadClock
  let connector: Connector
  let plan: DialPlan
  let versions: HTTPVersions
  /// Opens connections of HTTP/3; nil in a build without it. Set before the first lease.
  package var opener: (any AlternativeOpener)?
  /// Told where else an origin is served, as a server that has proved to be it says outside of any response; the value of Alt-Svc.
  package var announced: ((String, Origin) -> Void)?
  /// Where else an origin is served over HTTP/3, as far as the session knows.
  package var known: ((Origin) -> AlternativeEndpoint?)?
  /// Told that an alternative of an origin has turned out not to be one.
  package var refuted: ((AlternativeEndpoint, Origin) -> Void)?
  /// How attempts over HTTP/3 have ended.
  var history = AlternativeHistory()
  /// The attempts over QUIC that are under way.
  @exclusivity(unchecked) private(set) var races: [Destination: AlternativeRace] = [:]
  /// Origins of which it is known that they are served over HTTP/3, and where it hasn't been tried since.
  @exclusivity(unchecked) private var unexplored = BoundedTable<Origin, Void>(limit: unexploredLimit)

  /// Origins that are remembered.
  private static let unexploredLimit = 1024

  init(
    _ owner: any RaceOwner, _ attempts: ConnectAttempts, executor: LoopExecutor, clock: any LoadClock, connector: Connector,
    plan: DialPlan, versions: HTTPVersions
  ) {
    self.owner = owner
    self.attempts = attempts
    self.executor = executor
    self.clock = clock
    self.connector = connector
    self.plan = plan
    self.versions = versions
  }

  /// Whether there is nothing to be tried, and nothing under way.
  var areQuiet: Bool { unexplored.isEmpty && races.isEmpty }

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
    let place = AlternativeHistory.Place(origin, endpoint)
    guard let startOfTCP = history.startOfTCP(beside: place, now: clock.now, isLastResort: isLastResort) else { return nil }
    let attempt = ConnectAttempt(attempts.makeID(), destination, for: cause, offersHTTP2: false, isBesideTCP: true)
    (attempt.timings.watcher, attempt.timings.isQUIC) = (connector.watcher, true)
    // A place that doesn't answer would hold up what was sent there.
    attempt.allowsEarlyData = startOfTCP > clock.now
    attempt.isElsewhere = (endpoint.host, endpoint.port) != (origin.host, origin.port) || !isAssumed()
    let race = AlternativeRace(attempt, at: endpoint, place, startOfTCP: startOfTCP, beside: companion)
    begin(race, opener)
    return race
  }

  private func begin(_ race: AlternativeRace, _ opener: any AlternativeOpener) {
    let attempt = race.attempt
    attempts.add(attempt)
    races[attempt.destination] = race
    unexplored[attempt.origin] = nil
    if race.startOfTCP > clock.now { plan(at: race.startOfTCP, of: race) { $0.release($1) } }
    let owner = owner
    Task(executorPreference: executor) { [self] in
      do throws(LoadError) {
        await connector.prepareTrust()
        if await owner.coalesce(attempt) { return settle(race) }
        let connection = try await ready(attempt, at: race.endpoint, opener)
        guard attempts.remove(attempt) else { return connection.close() }
        won(race, connection)
      } catch {
        // Without an entry it was ended from outside, and its race is over.
        let isKnown = attempts.contains(attempt)
        let hasFailed = saysSomething(of: attempt, error)
        attempts.remove(attempt)
        attempt.questions?.withdraw(error)
        if isKnown { lost(race, hasFailed ? error : nil) }
      }
    }
  }

  func plan(
    at deadline: Instant, of race: AlternativeRace, _ action: @escaping @Sendable (AlternativeRaces, AlternativeRace) -> Void
  ) {
    let eventLoop = executor.eventLoop
    let wake = clock.plan(at: deadline) { [weak owner, weak self, weak race] in
      eventLoop.execute { [weak owner, weak self, weak race] in
        // The owner as well, for as long as the action takes.
        if let owner, let self, let race { withExtendedLifetime(owner) { action(self, race) } }
      }
    }
    race.plans(wake)
  }

  private func won(_ race: AlternativeRace, _ connection: any MultiplexedConnection) {
    history.succeeded(race.place)
    owner.connected(race.attempt, connection, for: race.attempt.questions == nil ? nil : race.attempt.asker)
    settle(race)
  }

  /// There is a connection of HTTP/3.
  private func settle(_ race: AlternativeRace) {
    end(race)
    if owner.relinquish(race.attempt.destination) { return }
    // What those who still wait can't use is opened over TCP.
    concede(race)
  }

  /// - Parameter error: What was wrong with the place; nil if nothing was.
  private func lost(_ race: AlternativeRace, _ error: LoadError?) {
    let attempt = race.attempt
    // Whatever its app has said about the server, it is asked about the origin's over TCP.
    owner.waiting.release(from: attempt)
    if let error { failed(race.endpoint, of: attempt.origin, error) }
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
    guard owner.next(to: destination) != nil, let next = self.race(to: destination, isAssumed: isAssumed(destination, nil)) else {
      return false
    }
    for attempt in race.takeHeld() where !next.holds(attempt, clock.now) { owner.open(attempt) }
    for (attempt, error) in race.takeFailures() { keep(attempt, error, next) }
    return true
  }

  /// TCP alone is left.
  private func concede(_ race: AlternativeRace) {
    tellFailures(of: race)
    release(race)
    owner.replenish(race.attempt.destination)
  }

  private func end(_ race: AlternativeRace) {
    race.cancelWakes()
    if races[race.attempt.destination] === race { races[race.attempt.destination] = nil }
  }

  /// The race to a destination is of no use any more, nor is what depends on it.
  func abandon(_ destination: Destination) {
    guard let race = races.removeValue(forKey: destination) else { return }
    race.cancelWakes()
    _ = race.takeHeld()
    _ = race.takeFailures()
  }

  /// Begins the attempts over TCP that were held.
  private func release(_ race: AlternativeRace) {
    for attempt in race.takeHeld() { owner.open(attempt) }
  }

  /// Begins all attempts over TCP that were held.
  func releaseAll() {
    for race in races.values { release(race) }
  }

  private func tellFailures(of race: AlternativeRace) {
    for (attempt, error) in race.takeFailures() { owner.conclude(attempt, error) }
  }

  // MARK: attempts over TCP

  /// Whether an attempt over TCP has to wait for one over QUIC, which begins now if it hasn't.
  func holds(_ attempt: ConnectAttempt) -> Bool {
    let (destination, cause) = (attempt.destination, attempt.cause)
    guard opener != nil, let race = race(to: destination, for: cause, isAssumed: isAssumed(destination, cause)) else { return false }
    return race.holds(attempt, clock.now)
  }

  /// Loads that wait for an attempt over TCP may still be served over QUIC, or may be now.
  ///
  /// - Returns: Whether the failure is kept until that is known, or for a moment.
  func keeps(_ attempt: ConnectAttempt, _ error: LoadError) -> Bool {
    guard let race = races[attempt.destination] else { return takesLastResort(attempt, error) }
    guard race.attempt !== attempt else { return false }
    if attempt.hasYielded {
      // Its load's app is being asked about the server over QUIC. Where nothing comes of that, there is another attempt.
      owner.yielded(attempt.destination)
      return true
    }
    guard !error.isVerdict, error.resendReason != .needsHTTP1 else { return false }
    if let asker = attempt.asker { owner.waiting[asker]?.attempt = nil }
    keep(attempt, error, race)
    return true
  }

  /// The server can't be reached over TCP, and HTTP/3 isn't tried because it has failed there: nothing else is left.
  private func takesLastResort(_ attempt: ConnectAttempt, _ error: LoadError) -> Bool {
    let destination = attempt.destination
    guard error.kind == .cannotConnectToHost, !attempt.isBesideTCP, owner.next(to: destination) != nil,
      let race = race(to: destination, for: attempt.cause, isAssumed: isAssumed(destination, attempt.cause), isLastResort: true)
    else { return false }
    keep(attempt, error, race, isLastResort: true)
    return true
  }

  private func keep(_ attempt: ConnectAttempt, _ error: LoadError, _ race: AlternativeRace, isLastResort: Bool = false) {
    race.keep(attempt, error)
    let isLikely = !race.attempt.isElsewhere || isLastResort
    plan(at: clock.now.advanced(bySeconds: history.patience(with: race.place, now: clock.now, isLikely: isLikely)), of: race) {
      $0.tellFailures(of: $1)
    }
  }

  /// Whether the load that a connection is opened for says that its origin speaks HTTP/3.
  private func isAssumed(_ destination: Destination, _ cause: Int?) -> Bool {
    let load = (cause ?? owner.next(to: destination)).flatMap { owner.waiting[$0] }
    return load?.context.terms.assumesHTTP3 ?? false
  }

  // MARK: loads that have connections over TCP

  /// HTTP/3 is tried with the next load that gets a connection over TCP.
  func noteUnexplored(_ origin: Origin) { unexplored.insert(origin) }

  /// A load has got `connection` at once: HTTP/3 is tried beside it, for loads to come.
  ///
  /// - Parameters:
  ///   - companion: The load, if its app is asked about servers.
  ///   - takes: How servers must have been accepted for such loads.
  func explore(
    _ destination: Destination, beside connection: HTTPConnection, for companion: Companion?, _ context: LoadContext,
    _ takes: PeerAcceptance
  ) {
    guard connection.protocolName != "h3" else {
      unexplored[destination.origin] = nil
      return
    }
    if let race = races[destination] {
      guard let companion else { return }
      race.join(companion)
      // The attempt was begun for loads without an app to ask: what it brings may not serve this one.
      if race.attempt.questions == nil { noteUnexplored(destination.origin) }
      return
    }
    let isAssumed = context.terms.assumesHTTP3
    guard unexplored.take(destination.origin) != nil || isAssumed, !owner.isDraining, !owner.hasAlternative(destination, for: takes)
    else { return }
    _ = race(to: destination, isAssumed: isAssumed, beside: companion)
  }

  /// A load that has waited goes over TCP: its app may be asked about the connection over QUIC that is on its way.
  func accompany(_ load: WaitingLoad, _ connection: HTTPConnection) {
    guard !races.isEmpty, connection.protocolName != "h3", let race = races[load.destination],
      let companion = Companion(load.evaluator, load.context, decider: load.decider)
    else { return }
    race.join(companion)
  }
}
