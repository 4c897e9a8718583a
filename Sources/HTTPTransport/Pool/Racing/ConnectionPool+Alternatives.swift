import LoadingModel
import ProtocolRules

// Where HTTP/3 is tried, and why it isn't used.

extension ConnectionPool {
  /// Origins that are remembered.
  static let unexploredLimit = 1024

  /// An origin is known to be served over HTTP/3: a load that waits tries that now, else the next one, even if it gets a connection over
  /// TCP at once.
  package func alternativeAppeared(_ origin: Origin) {
    guard opener != nil, case .all = versions else { return }
    let destination = Destination(origin)
    if machine.next(destination) != nil, race(to: destination, isAssumed: false) != nil { return }
    noteUnexplored(origin)
  }

  /// HTTP/3 is tried with the next load that gets a connection over TCP.
  func noteUnexplored(_ origin: Origin) {
    unexplored.insert(origin)
  }

  /// Where an origin may be served over HTTP/3: where the server or the DNS says, or where a request assumes it.
  func endpoint(of origin: Origin, isAssumed: @autoclosure () -> Bool) -> AlternativeEndpoint? {
    if let known = alternative?(origin), allows(known, for: origin) { return known }
    guard isAssumed() else { return nil }
    let own = ownEndpoint(of: origin)
    return allows(own, for: origin) ? own : nil
  }

  /// Whether the origin's name may be told there, or else is encrypted.
  private func allows(_ endpoint: AlternativeEndpoint, for origin: Origin) -> Bool {
    connector.services?.allow(endpoint.host, endpoint.port, for: origin) ?? true
  }

  /// The origin's own place.
  private func ownEndpoint(of origin: Origin) -> AlternativeEndpoint {
    let place = dialer.plan.place(of: origin)
    return AlternativeEndpoint(host: place.host, port: place.port)
  }

  /// The place where HTTP/3 would be tried for a request.
  private func place(of origin: Origin, _ context: LoadContext) -> AlternativeHistory.Place? {
    endpoint(of: origin, isAssumed: context.terms.assumesHTTP3).map { AlternativeHistory.Place(origin, $0) }
  }

  /// A new connection of HTTP/3 has been of no use: requests go over TCP for a while.
  ///
  /// - Parameter wasReached: Whether it broke, rather than that its server doesn't serve the origin.
  package func alternativeFailed(_ origin: Origin, _ context: LoadContext, wasReached: Bool = true) {
    guard let place = place(of: origin, context) else { return }
    history.failed(place, now: clock.now, wasReached: wasReached)
  }

  /// An attempt at a place where HTTP/3 is said to be served has failed. What an app, or the evaluation, thinks of the server there says
  /// nothing of the origin: the place isn't one of the origin's (RFC 7838, 2.1), and what named it is forgotten.
  package func alternativeFailed(_ endpoint: AlternativeEndpoint, of origin: Origin, _ error: LoadError) {
    history.failed(AlternativeHistory.Place(origin, endpoint), now: clock.now)
    if error.isVerdict { alternativeRefuted?(endpoint, origin) }
  }

  /// Why the request of `context`, for which `connection` was leased, uses HTTP/3 or doesn't; nil for anything but https.
  package func alternativeUse(_ origin: Origin, _ context: LoadContext, on connection: HTTPConnection) -> AlternativeUse? {
    guard origin.isSecure else { return nil }
    if connection.protocolName == "h3" { return .used }
    guard dialer.plan.socketPath(for: origin) == nil else { return .ruledOut }
    guard opener != nil else { return .notBuilt }
    guard context.terms.route == .direct else { return .proxy }
    guard case .all = versions, case .any = context.terms.need, !context.terms.needsOwnConnection, !restricted.contains(origin) else {
      return .ruledOut
    }
    guard let place = place(of: origin, context) else { return .noneKnown }
    switch history.standing(of: place, now: clock.now) {
    case .broken(let until): return .broken(until: until)
    case .untried, .proven: return .lostRace
    }
  }

  /// The machine's networks have changed: what was learned about HTTP/3 may no longer hold.
  package func networkChanged() {
    assert(executor.eventLoop.inEventLoop)
    history.networkChanged()
    for connection in shared.values { connection.networkChanged() }
  }

  /// Opens a connection over HTTP/3 where nothing else is allowed.
  func openAlternative(_ attempt: ConnectAttempt) async throws(LoadError) -> HTTPConnection {
    guard let opener else {
      throw LoadError(
        .cannotConnectToHost, .connect,
        "only HTTP/3 is allowed here, and the package was built without it; build it with the trait HTTP3")
    }
    let origin = attempt.origin
    let own = ownEndpoint(of: origin)
    let allowsOwn = allows(own, for: origin)
    guard let named = alternative?(origin), (named.host, named.port) != (own.host, own.port), allows(named, for: origin),
      isTried(named, for: origin) || !allowsOwn
    else {
      guard allowsOwn else { throw ServiceRace.noPlace(of: origin) }
      return .shared(try await ready(attempt, at: own, opener))
    }
    do throws(LoadError) {
      attempt.isElsewhere = true
      return .shared(try await ready(attempt, at: named, opener))
    } catch {
      guard saysSomething(of: attempt, error) else { throw error }
      alternativeFailed(named, of: origin, error)
      guard allowsOwn else { throw error }
    }
    // The origin itself is left.
    attempt.isElsewhere = false
    return .shared(try await ready(attempt, at: own, opener))
  }

  private func isTried(_ endpoint: AlternativeEndpoint, for origin: Origin) -> Bool {
    if case .broken = history.standing(of: AlternativeHistory.Place(origin, endpoint), now: clock.now) { false } else { true }
  }

  /// Whether the end of an attempt says something of the place that it led to: not if it was ended from here, nor if there is no network.
  func saysSomething(of attempt: ConnectAttempt, _ error: LoadError) -> Bool {
    attempts[attempt.id] != nil && !attempt.hasLostPath && !attempt.foundNoAsker && attempt.questions?.wasWithdrawn != true
      && error.kind != .notConnectedToInternet
  }

  /// A connection that can be used: its server may have closed it while the news was on its way here.
  func ready(
    _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, _ opener: any AlternativeOpener
  ) async throws(LoadError) -> any MultiplexedConnection {
    let connection = try await opener.open(attempt, at: endpoint, owner: self)
    guard connection.isOpen else {
      var error = LoadError(.networkConnectionLost, .secure, "the server closed the connection at once")
      error.resendReason = .cutOff
      throw error
    }
    return connection
  }

  /// Refuses what HTTP/3 can't carry, in a session that speaks nothing else.
  func requireHTTP3(_ destination: Destination) throws(LoadError) {
    guard case .http3Only = versions else { return }
    let obstacle: String
    if destination.origin.scheme != "https" {
      obstacle = "it isn't for URLs of the scheme \(destination.origin.scheme)"
    } else if dialer.plan.socketPath(for: destination.origin) != nil {
      obstacle = "Unix sockets don't carry it"
    } else if destination.route != .direct {
      obstacle = "the proxy that is set doesn't carry it"
    } else if case .http1 = destination.offer {
      obstacle = "the server, or the authentication that it asks for, needs HTTP/1.1"
    } else {
      return
    }
    throw LoadError(.cannotConnectToHost, .connect, "only HTTP/3 is allowed here, and \(obstacle)")
  }
}
