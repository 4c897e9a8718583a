import HTTPTransport
import LoadingModel
import ProtocolRules

// Sends the messages of an authentication, and remembers its result when it has succeeded.

extension AuthenticationHandler {
  /// Prepares for the next message. Usually the 401's body is read to its end, so that its connection can be used again: nil. If the message
  /// needs that same connection and can't have it, the 401 is returned, complete.
  func standing(_ loaded: Loaded) async throws(LoadError) -> Loaded? {
    if context.terms.authentication?.holder == .handshake, context.terms.boundConnection != nil {
      return try await loaded.clearingConnection(context)
    }
    try await loaded.discardBody(context)
    return nil
  }

  /// Sends the request again with `attempt`'s authorization, as a new transaction.
  mutating func send(
    _ attempt: AuthenticationAttempt, after loaded: Loaded
  ) async throws(LoadError) -> (loaded: Loaded, attempt: AuthenticationAttempt) {
    beginTransaction(after: loaded)
    if attempt.credential?.login != nil { session.authentications.noteShown(in: attempt.space) }
    do throws(LoadError) {
      let authorizations = AttemptAuthorizations(attempt)
      return (try await next(outgoing(authorizations), context), authorizations.attempt)
    } catch {
      guard let again = await begunAgain(attempt, after: error) else { throw error }
      context.beginTransaction(request)
      return (try await next(outgoing(AttemptAuthorizations(again)), context), again)
    }
  }

  /// The request with the attempt's authorization. NTLM's first message goes without the body, which the server would only discard.
  private func outgoing(_ authorizations: AttemptAuthorizations) -> LoadRequest {
    let attempt = authorizations.attempt
    var request = request
    if case .tunnel(let first) = attempt.proof {
      context.terms.routeAttempt?.makeTunnelAuthenticator(attempt, challenger.signed(request, target), context, first)
      return request
    }
    if challenger.isProxy {
      context.terms.routeAttempt?.makeTunnelAuthenticator = nil
      context.terms.routeAttempt?.authorize = authorizations.next
    } else {
      request = attempt.authorized(request)
    }
    if withholdsBody(attempt) { request.mutate { $0.body = .none } }
    return request
  }

  private func withholdsBody(_ attempt: AuthenticationAttempt) -> Bool {
    guard !hasSentWhole, attempt.space.method == .ntlm, case .mechanism(_, isUnfinished: true) = attempt.proof else { return false }
    return true
  }

  /// Whether the server has answered NTLM's first message, which was sent without the request's body, as if it were the whole request.
  func lacksBody(_ attempt: AuthenticationAttempt, _ loaded: Loaded) -> Bool {
    guard withholdsBody(attempt), let status = loaded.response.status, (200..<300).contains(status) else { return false }
    if case .none = request.body { return false }
    return true
  }

  /// Sends the whole request without an authorization, after the server has accepted it without its body: like curl, this takes it that the
  /// server no longer demands authentication.
  mutating func sendWhole(after loaded: Loaded) async throws(LoadError) -> Loaded {
    hasSentWhole = true
    try await loaded.discardBody(context)
    beginTransaction(after: loaded)
    if challenger.isProxy { context.terms.routeAttempt?.authorize = nil }
    // Any connection will do, because no authentication has to be continued.
    context.terms.boundConnection = nil
    return try await next(request, context)
  }

  /// Ends the transaction that brought `loaded`, and begins the next one of the same request.
  private func beginTransaction(after loaded: Loaded) {
    context.record.response = loaded.response
    if context.record.responseEnd == nil { context.record.responseEnd = context.clock.now }
    context.beginTransaction(request)
    context.noteActivity()
  }

  /// Begins the authentication anew on another connection, if the one that it depends on was closed; once per request. nil if it can't.
  private mutating func begunAgain(_ attempt: AuthenticationAttempt, after error: LoadError) async -> AuthenticationAttempt? {
    guard authentication != nil, !hasRestarted, context.failure == nil, error.kind == .networkConnectionLost else { return nil }
    guard RetryRules.isIdempotent(request.method) else { return nil }
    if case .stream = request.body { return nil }
    hasRestarted = true
    release()
    guard let challenge = attempt.space.method.bareChallenge else { return nil }
    return await beginMechanism(challenge, attempt.space, attempt.credential, attempt.source)
  }

  /// Remembers a successful authentication, and stores a credential of the app.
  mutating func succeeded(_ attempt: AuthenticationAttempt, _ loaded: Loaded) async throws(LoadError) {
    let head = loaded.response.httpHead
    // A response of FTP has no head; that it came through the tunnel says that the proxy was satisfied.
    guard head.map(challenger.isSatisfied) ?? challenger.opensTunnel else { return }
    switch attempt.proof {
    case .basic: remember(attempt, .basic, challenger.isProxy ? .origin : .basic(target.pathAndQuery))
    case .digest(var digest):
      if let head, challenger.speaks(in: head) { _ = digest.renew(from: head, peer) }
      remember(attempt, .digest(digest), challenger.isProxy ? .origin : .digest(digest.challenge, at: loaded.response.url))
    case .connection: return
    case .tunnel: remember(attempt, .connection(sharedAuthentication(attempt)), .origin)
    case .mechanism(let mechanism, _): if let head { try await settle(attempt, mechanism, head) }
    }
    if attempt.source == .app, let credential = attempt.credential, credential.persistence != .none {
      try await next.client.challenges?.store(credential, for: attempt.space, insteadOf: refused[attempt.space] ?? [])
    }
  }

  private func remember(_ attempt: AuthenticationAttempt, _ proof: AuthenticationMemory.Proof, _ scope: AuthenticationScope) {
    let known = AuthenticationMemory.Known(space: attempt.space, credential: attempt.credential, scope: scope, proof: proof)
    guard attempt.credential?.persistence == Credential.Persistence.none else { return session.authentications.remember(known) }
    guard challenger.isProxy else { return }
    let logins = next.load.proxyLogins ?? AuthenticationMemory()
    next.load.proxyLogins = logins
    logins.remember(known)
  }

  /// Ends the authentication of a connection. From now on the connection serves the loads that use this credential; it is closed after this load
  /// if the credential isn't to be kept.
  private mutating func settle(
    _ attempt: AuthenticationAttempt, _ mechanism: any AuthenticationMechanism, _ head: ResponseHead
  ) async throws(LoadError) {
    var mechanism = mechanism
    let last = attempt.space.method.latestChallenge(from: peer, in: head)
    let isAccepted = if let last { await mechanism.accept(last) } else { true }
    try context.checkpoint()
    guard isAccepted else {
      throw LoadError(
        .badServerResponse, .head,
        "the \(challenger.isProxy ? "proxy" : "server") let the request in but failed to prove who it is: its answer can't be trusted")
    }
    guard let own = authentication else { return }
    if let credential = attempt.credential, credential.persistence == .none {
      // The connection is closed, but the load knows the proxy's login for the next one.
      return remember(attempt, .connection(BoundAuthentication(.credential)), .origin)
    }
    let shared = sharedAuthentication(attempt)
    authentication = nil
    // The origin server may challenge the load next: it then needs the connection that is authenticated to the proxy again.
    context.terms.authentication = outerAuthentication ?? (challenger.isProxy ? shared : nil)
    session.pool.settle(own, as: outerAuthentication ?? shared)
    remember(attempt, .connection(shared), .origin)
  }

  /// The bound authentication that all loads with the attempt's credential share; a new one if there is none yet.
  private func sharedAuthentication(_ attempt: AuthenticationAttempt) -> BoundAuthentication {
    guard let known = session.authentications.known(attempt.space), known.credential?.proof == attempt.credential?.proof,
      case .connection(let authentication) = known.proof
    else { return BoundAuthentication(.credential) }
    return authentication
  }
}
