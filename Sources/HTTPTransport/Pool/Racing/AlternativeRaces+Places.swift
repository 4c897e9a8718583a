import LoadingModel
import ProtocolRules

// Where HTTP/3 is tried, and why it isn't used.

extension AlternativeRaces {
  /// An origin is known to be served over HTTP/3: a load that waits tries that now, else the next one, even if it gets a connection over
  /// TCP at once.
  package func appeared(_ origin: Origin) {
    guard opener != nil, case .all = versions else { return }
    let destination = Destination(origin)
    if owner.next(to: destination) != nil, race(to: destination, isAssumed: false) != nil { return }
    noteUnexplored(origin)
  }

  /// Where an origin may be served over HTTP/3: where the server or the DNS says, or where a request assumes it.
  func endpoint(of origin: Origin, isAssumed: @autoclosure () -> Bool) -> AlternativeEndpoint? {
    if let known = known?(origin), allows(known, for: origin) { return known }
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
    let place = plan.place(of: origin)
    return AlternativeEndpoint(host: place.host, port: place.port)
  }

  /// The place where HTTP/3 would be tried for a request.
  private func place(of origin: Origin, _ context: LoadContext) -> AlternativeHistory.Place? {
    endpoint(of: origin, isAssumed: context.terms.assumesHTTP3).map { AlternativeHistory.Place(origin, $0) }
  }

  /// A new connection of HTTP/3 has been of no use: requests go over TCP for a while.
  ///
  /// - Parameter wasReached: Whether it broke, rather than that its server doesn't serve the origin.
  package func failed(_ origin: Origin, _ context: LoadContext, wasReached: Bool = true) {
    guard let place = place(of: origin, context) else { return }
    history.failed(place, now: clock.now, wasReached: wasReached)
  }

  /// Whether the server, or the DNS, has named a place where the origin is served over HTTP/3.
  func isNamed(_ origin: Origin) -> Bool { known?(origin) != nil }

  /// What was said of places is forgotten: the one that was named doesn't serve the origin.
  func refute(_ origin: Origin) {
    if let named = known?(origin) { refuted?(named, origin) }
  }

  /// The place doesn't serve the origin, whatever was said.
  func refute(_ endpoint: AlternativeEndpoint, of origin: Origin) {
    history.failed(AlternativeHistory.Place(origin, endpoint), now: clock.now, wasReached: false)
    refuted?(endpoint, origin)
  }

  /// An attempt at a place where HTTP/3 is said to be served has failed. What an app, or the evaluation, thinks of the server there says
  /// nothing of the origin: the place isn't one of the origin's (RFC 7838, 2.1), and what named it is forgotten.
  func failed(_ endpoint: AlternativeEndpoint, of origin: Origin, _ error: LoadError, wasReached: Bool = false) {
    history.failed(AlternativeHistory.Place(origin, endpoint), now: clock.now, wasReached: wasReached)
    if error.isVerdict { refuted?(endpoint, origin) }
  }

  /// Why the request of `context`, for which `connection` was leased, uses HTTP/3 or doesn't; nil for anything but https.
  ///
  /// - Parameter isRestricted: Whether the origin has asked for HTTP/1.1.
  func use(
    _ origin: Origin, _ context: LoadContext, on connection: HTTPConnection, isRestricted: @autoclosure () -> Bool
  ) -> AlternativeUse? {
    guard origin.isSecure else { return nil }
    if connection.protocolName == "h3" { return .used }
    guard plan.socketPath(for: origin) == nil else { return .ruledOut }
    guard opener != nil else { return .notBuilt }
    guard context.terms.route == .direct else { return .proxy }
    guard case .all = versions, case .any = context.terms.need, !context.terms.needsOwnConnection, !isRestricted() else {
      return .ruledOut
    }
    guard let place = place(of: origin, context) else { return .noneKnown }
    switch history.standing(of: place, now: clock.now) {
    case .broken(let until): return .broken(until: until)
    case .untried, .proven: return .lostRace
    }
  }

  /// Opens a connection over HTTP/3 where nothing else is allowed.
  func openAlone(_ attempt: ConnectAttempt) async throws(LoadError) -> HTTPConnection {
    guard let opener else {
      throw LoadError(
        .cannotConnectToHost, .connect,
        "only HTTP/3 is allowed here, and the package was built without it; build it with the trait HTTP3")
    }
    let origin = attempt.origin
    let own = ownEndpoint(of: origin)
    let allowsOwn = allows(own, for: origin)
    guard let named = known?(origin), (named.host, named.port) != (own.host, own.port), allows(named, for: origin),
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
      failed(named, of: origin, error)
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
    attempts.contains(attempt) && !attempt.hasLostPath && !attempt.foundNoAsker && attempt.questions?.wasWithdrawn != true
      && error.kind != .notConnectedToInternet
  }

  /// A connection that can be used: its server may have closed it while the news was on its way here.
  func ready(
    _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, _ opener: any AlternativeOpener
  ) async throws(LoadError) -> any MultiplexedConnection {
    let connection = try await opener.open(attempt, at: endpoint, owner: owner)
    guard connection.isOpen else {
      var error = LoadError(.networkConnectionLost, .secure, "the server closed the connection at once")
      error.resendReason = .cutOff
      connection.close()
      throw error
    }
    return connection
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
