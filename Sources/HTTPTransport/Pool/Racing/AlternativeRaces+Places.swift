import LoadingModel
import ProtocolRules

// Where HTTP/3 is tried, and why it isn't used.

extension AlternativeRaces {
  /// An origin is known to be served over HTTP/3: an attempt begins now if a load waits for the origin, else with its next load, even if that gets a
  /// connection over TCP at once.
  package func appeared(_ origin: Origin) {
    guard opener != nil, case .all = versions else { return }
    let destination = Destination(origin)
    if owner.next(to: destination) != nil, race(to: destination, isAssumed: false) != nil { return }
    noteUnexplored(origin)
  }

  /// The place where an origin may be served over HTTP/3: named by Alt-Svc or an HTTPS record, or the origin itself if the request assumes that;
  /// nil if there is none.
  func endpoint(of origin: Origin, isAssumed: @autoclosure () -> Bool) -> AlternativeEndpoint? {
    if let known = known?(origin), allows(known, for: origin) { return known }
    guard isAssumed() else { return nil }
    let own = ownEndpoint(of: origin)
    return allows(own, for: origin) ? own : nil
  }

  /// Whether a handshake with this place keeps the origin's name secret, or may reveal it: if all HTTPS records have keys, only places with keys are
  /// allowed.
  private func allows(_ endpoint: AlternativeEndpoint, for origin: Origin) -> Bool {
    connector.services?.allow(endpoint.host, endpoint.port, for: origin) ?? true
  }

  /// The host and port to which connections to the origin itself are made.
  private func ownEndpoint(of origin: Origin) -> AlternativeEndpoint {
    let place = plan.place(of: origin)
    return AlternativeEndpoint(host: place.host, port: place.port)
  }

  /// The place where HTTP/3 would be tried for a request, as the key of the history; nil if there is none.
  private func place(of origin: Origin, _ context: LoadContext) -> AlternativeHistory.Place? {
    endpoint(of: origin, isAssumed: context.terms.assumesHTTP3).map { AlternativeHistory.Place(origin, $0) }
  }

  /// A new HTTP/3 connection has failed or answered 421: requests use TCP for a while.
  ///
  /// - Parameter wasReached: Whether the connection broke; false if its server doesn't serve the origin.
  package func failed(_ origin: Origin, _ context: LoadContext, wasReached: Bool = true) {
    guard let place = place(of: origin, context) else { return }
    history.failed(place, now: clock.now, wasReached: wasReached)
  }

  /// Whether the server, or the DNS, has named a place where the origin is served over HTTP/3.
  func isNamed(_ origin: Origin) -> Bool { known?(origin) != nil }

  /// Forgets the alternative service that is known for the origin, as it doesn't serve it.
  func refute(_ origin: Origin) {
    if let named = known?(origin) { refuted?(named, origin) }
  }

  /// Forgets this alternative service of the origin, as it doesn't serve it, and tries it no more for a while.
  func refute(_ endpoint: AlternativeEndpoint, of origin: Origin) {
    history.failed(AlternativeHistory.Place(origin, endpoint), now: clock.now, wasReached: false)
    refuted?(endpoint, origin)
  }

  /// An attempt at an alternative service has failed. If the app or the trust evaluation has rejected its server, the service isn't authorized for
  /// the origin (RFC 7838, 2.1) and is forgotten; that says nothing about the origin itself.
  func failed(_ endpoint: AlternativeEndpoint, of origin: Origin, _ error: LoadError, wasReached: Bool = false) {
    history.failed(AlternativeHistory.Place(origin, endpoint), now: clock.now, wasReached: wasReached)
    if error.isVerdict { refuted?(endpoint, origin) }
  }

  /// For metrics: why the request of `context`, on the leased `connection`, uses HTTP/3 or why not; nil for schemes without TLS.
  ///
  /// - Parameter isRestricted: Whether the origin's server has asked for HTTP/1.1.
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

  /// Opens an HTTP/3 connection in a session that allows nothing else (`http3Only`): to the named alternative, then to the origin itself.
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
    // The alternative has failed: the origin itself is tried.
    attempt.isElsewhere = false
    return .shared(try await ready(attempt, at: own, opener))
  }

  private func isTried(_ endpoint: AlternativeEndpoint, for origin: Origin) -> Bool {
    if case .broken = history.standing(of: AlternativeHistory.Place(origin, endpoint), now: clock.now) { false } else { true }
  }

  /// Whether the attempt's failure tells something about the place: not if it was ended early, lost its local address, found no app to ask, or there
  /// is no network.
  func saysSomething(of attempt: ConnectAttempt, _ error: LoadError) -> Bool {
    attempts.contains(attempt) && !attempt.hasLostPath && !attempt.foundNoAsker && attempt.questions?.wasWithdrawn != true
      && error.kind != .notConnectedToInternet
  }

  /// Opens a connection, and fails if its server has closed it before the caller could resume.
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
  /// Whether the error is the app's decision (a cancelled load or challenge).
  var isChoice: Bool { kind == .cancelled || kind == .userCancelledAuthentication }

  /// Whether the error is a judgement on the server by the app or the trust evaluation, or on the client by the server: another connection to the
  /// same place would fail in the same way.
  var isVerdict: Bool {
    switch kind {
    case .cancelled, .userCancelledAuthentication, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
      true
    default: false
    }
  }
}
