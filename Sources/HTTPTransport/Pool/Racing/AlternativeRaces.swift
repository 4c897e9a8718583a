import LoadingModel
import NIOCore
import ProtocolRules

/// Races HTTP/3 against TCP: attempts over QUIC run beside those over TCP, and the first ready connection serves the waiting loads.
///
/// Owned by the pool; confined to its event loop.
package final class AlternativeRaces: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`.
  // `@exclusivity(unchecked)`: no call that modifies one of these properties accesses it again.
  unowned let owner: any RaceOwner
  /// The pool's table of all attempts, over TCP and QUIC.
  let attempts: ConnectAttempts
  let executor: LoopExecutor
  let clock: any LoadClock
  let connector: Connector
  let plan: DialPlan
  let versions: HTTPVersions
  /// Opens connections of HTTP/3; nil in a build without it. Set before the first lease.
  package var opener: (any AlternativeOpener)?
  /// Called when a server announces alternative services by an ALTSVC frame, with the value of Alt-Svc and the origin.
  package var announced: ((String, Origin) -> Void)?
  /// Returns the place where an origin is known to be served over HTTP/3; nil if there is none.
  package var known: ((Origin) -> AlternativeEndpoint?)?
  /// Called when an alternative service has turned out not to serve the origin.
  package var refuted: ((AlternativeEndpoint, Origin) -> Void)?
  /// The results of earlier attempts over HTTP/3.
  var history = AlternativeHistory()
  /// The races that are under way, by destination.
  @exclusivity(unchecked) private(set) var races: [Destination: AlternativeRace] = [:]
  /// Origins that are known to be served over HTTP/3 and where that hasn't been tried since.
  @exclusivity(unchecked) private var unexplored = BoundedTable<Origin, Void>(limit: unexploredLimit)

  /// The most origins in `unexplored`.
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

  /// Whether no attempt over QUIC is under way or to be begun.
  var areQuiet: Bool { unexplored.isEmpty && races.isEmpty }

  /// The race to a destination that is under way, or that begins now; nil if only TCP is used.
  ///
  /// - Parameters:
  /// - isAssumed: Whether the request says that its origin speaks HTTP/3 (`assumesHTTP3Capable`).
  /// - companion: A load that has a connection over TCP already, and whose app may be asked about the server.
  /// - isLastResort: Whether the server can't be reached over TCP: then HTTP/3 is tried even if it has failed at this place before.
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
    // Without a head start the place is doubtful: early data to a server that doesn't answer would delay its requests.
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
        // An attempt that isn't in the table was ended early, and its race is over already.
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
        // The owner is kept alive during the action, as `owner` is an unowned reference.
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

  /// An HTTP/3 connection is ready: ends the race, and the attempts over TCP if no load waits any more.
  private func settle(_ race: AlternativeRace) {
    end(race)
    if owner.relinquish(race.attempt.destination) { return }
    // Loads that can't use the HTTP/3 connection get attempts over TCP.
    concede(race)
  }

  /// Ends the race, as the attempt over QUIC has failed.
  /// - Parameter error: The error if it is the place's fault or the app's choice; nil if it says nothing about the place.
  private func lost(_ race: AlternativeRace, _ error: LoadError?) {
    let attempt = race.attempt
    var isAskedAgain = error == nil && attempt.questions?.wasWithdrawn == true
    if let error {
      if let load = refuser(of: attempt) {
        owner.interrupted(load, error)
        isAskedAgain = true
      } else {
        failed(race.endpoint, of: attempt.origin, error)
      }
    }
    // The load's app may have been asked about this place's server; over TCP it is asked again, about the origin's.
    owner.waiting.release(from: attempt)
    end(race)
    if isAskedAgain, repeats(race) { return }
    concede(race)
    // HTTP/3 is tried again with the next load, as this attempt ended for want of an app's answer.
    if attempt.foundNoAsker || attempt.questions?.wasWithdrawn == true { noteUnexplored(attempt.origin) }
  }

  /// The load whose app was asked has ended, and the place had no fault: a new race begins, which asks the app of another waiting load. It ends, as
  /// each time there is one load less.
  ///
  /// - Returns: Whether a new race has begun.
  private func repeats(_ race: AlternativeRace) -> Bool {
    let destination = race.attempt.destination
    guard owner.next(to: destination) != nil, let next = self.race(to: destination, isAssumed: isAssumed(destination, nil)) else {
      return false
    }
    for attempt in race.takeHeld() where !next.holds(attempt, clock.now) { owner.open(attempt) }
    for (attempt, error) in race.takeFailures() { keep(attempt, error, next) }
    return true
  }

  /// HTTP/3 isn't available: reports the failures that were kept, and begins the attempts over TCP that were held.
  private func concede(_ race: AlternativeRace) {
    tellFailures(of: race)
    release(race)
    owner.replenish(race.attempt.destination)
  }

  private func end(_ race: AlternativeRace) {
    race.cancelWakes()
    if races[race.attempt.destination] === race { races[race.attempt.destination] = nil }
  }

  /// Ends the race to a destination, whose attempts no load needs any more.
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

  /// Whether the attempt over TCP is held by a race to its destination; begins the race if there is none.
  func holds(_ attempt: ConnectAttempt) -> Bool {
    let (destination, cause) = (attempt.destination, attempt.cause)
    guard opener != nil, let race = race(to: destination, for: cause, isAssumed: isAssumed(destination, cause)) else { return false }
    return race.holds(attempt, clock.now)
  }

  /// Decides whether to report the failure of an attempt over TCP at once, or to keep it because its loads may still be served over QUIC.
  ///
  /// - Returns: Whether the failure is kept, until the race ends or for a moment.
  func keeps(_ attempt: ConnectAttempt, _ error: LoadError) -> Bool {
    guard let race = races[attempt.destination] else { return takesLastResort(attempt, error) }
    guard race.attempt !== attempt else { return false }
    if attempt.hasYielded {
      // The app of its load is being asked about the server over QUIC. If that fails, another attempt over TCP is made.
      owner.yielded(attempt.destination)
      return true
    }
    guard !error.isVerdict, error.resendReason != .needsHTTP1 else { return false }
    if let asker = attempt.asker { owner.waiting[asker]?.attempt = nil }
    keep(attempt, error, race)
    return true
  }

  /// The server can't be reached over TCP: tries HTTP/3 even if it has failed at this place before. Returns whether an attempt has begun.
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

  /// HTTP/3 will be tried with the origin's next load, even if that gets a connection over TCP at once.
  func noteUnexplored(_ origin: Origin) { unexplored.insert(origin) }

  /// A load has got `connection` at once: if the origin's HTTP/3 hasn't been tried, an attempt begins for later loads.
  ///
  /// - Parameters:
  /// - companion: The load, if its app may be asked about servers; else nil.
  /// - takes: The peer acceptances that such loads tolerate.
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
      // The attempt was begun for loads without an app to ask, so its connection may not serve this load: HTTP/3 is tried again later.
      if race.attempt.questions == nil { noteUnexplored(destination.origin) }
      return
    }
    let isAssumed = context.terms.assumesHTTP3
    guard unexplored.take(destination.origin) != nil || isAssumed, !owner.isDraining, !owner.hasAlternative(destination, for: takes)
    else { return }
    _ = race(to: destination, isAssumed: isAssumed, beside: companion)
  }

  /// A load that has waited gets a connection over TCP: its app may be asked about the server of the attempt over QUIC.
  func accompany(_ load: WaitingLoad, _ connection: HTTPConnection) {
    guard !races.isEmpty, connection.protocolName != "h3", let race = races[load.destination],
      let companion = Companion(load.evaluator, load.context, decider: load.decider)
    else { return }
    race.join(companion)
  }
}
