import HTTPTransport
import LoadingModel
import ProtocolRules

// The messages of an authentication, and what is kept when it has succeeded.

extension AuthenticationHandler {
  /// Reads the 401's body, so that the next message can use the connection. Nil once that is done; the 401, whole, if the message can't
  /// have its connection.
  func standing(_ loaded: Loaded) async throws(LoadError) -> Loaded? {
    if context.terms.authentication?.holder == .handshake, context.terms.boundConnection != nil {
      return try await loaded.clearingConnection(context)
    }
    try await loaded.discardBody(context)
    return nil
  }

  /// Sends the request again with `attempt`'s authorization, as a transaction of its own.
  mutating func send(
    _ attempt: AuthenticationAttempt, after loaded: Loaded
  ) async throws(LoadError) -> (loaded: Loaded, attempt: AuthenticationAttempt) {
    beginTransaction(after: loaded)
    if attempt.credential?.login != nil { session.authentications.noteShown(in: attempt.space) }
    do throws(LoadError) {
      return (try await next(outgoing(attempt), context), attempt)
    } catch {
      guard let again = await begunAgain(attempt, after: error) else { throw error }
      context.beginTransaction(request)
      return (try await next(outgoing(again), context), again)
    }
  }

  /// NTLM's first message asks for nothing but the server's answer to it: the body would be sent for nothing.
  private func outgoing(_ attempt: AuthenticationAttempt) -> LoadRequest {
    var request = request
    if case .tunnel(let first) = attempt.proof {
      context.terms.routeAttempt?.makeTunnelAuthenticator(attempt, challenger.signed(request, target), context, first)
      return request
    }
    if challenger.isProxy {
      context.terms.routeAttempt?.makeTunnelAuthenticator = nil
      context.terms.routeAttempt?.authorize = { attempt.authorization }
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

  /// Whether the server has taken NTLM's first message, which came without the request's body, for all there was.
  func lacksBody(_ attempt: AuthenticationAttempt, _ loaded: Loaded) -> Bool {
    guard withholdsBody(attempt), let status = loaded.response.status, (200..<300).contains(status) else { return false }
    if case .none = request.body { return false }
    return true
  }

  /// Sends the request once more, as the app made it: as curl does, the server doesn't want an authentication any more.
  mutating func sendWhole(after loaded: Loaded) async throws(LoadError) -> Loaded {
    hasSentWhole = true
    try await loaded.discardBody(context)
    beginTransaction(after: loaded)
    if challenger.isProxy { context.terms.routeAttempt?.authorize = nil }
    // The same connection if it is still there, or else another: nothing of the authentication has to go on.
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

  /// The connection that an authentication depends on was closed: once, it begins anew on another.
  private mutating func begunAgain(_ attempt: AuthenticationAttempt, after error: LoadError) async -> AuthenticationAttempt? {
    guard authentication != nil, !hasRestarted, context.failure == nil, error.kind == .networkConnectionLost else { return nil }
    guard RetryRules.isIdempotent(request.method) else { return nil }
    if case .stream = request.body { return nil }
    hasRestarted = true
    release()
    guard let challenge = attempt.space.method.bareChallenge else { return nil }
    return await beginMechanism(challenge, attempt.space, attempt.credential, attempt.source)
  }

  /// The server let the request through.
  mutating func succeeded(_ attempt: AuthenticationAttempt, _ loaded: Loaded) async throws(LoadError) {
    guard let head = loaded.response.httpHead, challenger.isSatisfied(by: head) else { return }
    switch attempt.proof {
    case .basic: remember(attempt, .basic, challenger.isProxy ? .origin : .basic(target.pathAndQuery))
    case .digest(var digest):
      if challenger.speaks(in: head) { _ = digest.renew(from: head, peer) }
      remember(attempt, .digest(digest), challenger.isProxy ? .origin : .digest(digest.challenge, at: loaded.response.url))
    case .connection: return
    case .tunnel: remember(attempt, .connection(sharedAuthentication(attempt)), .origin)
    case .mechanism(let mechanism, _): try await settle(attempt, mechanism, head)
    }
    if attempt.source == .app, let credential = attempt.credential, credential.persistence != .none {
      try await next.client.challenges?.store(credential, for: attempt.space, insteadOf: refused[attempt.space] ?? [])
    }
  }

  private func remember(_ attempt: AuthenticationAttempt, _ proof: AuthenticationMemory.Proof, _ scope: AuthenticationScope) {
    if let credential = attempt.credential, credential.persistence == .none { return }
    session.authentications.remember(
      AuthenticationMemory.Known(space: attempt.space, credential: attempt.credential, scope: scope, proof: proof))
  }

  /// The connection is authenticated: it serves the loads that use this credential, or is closed after this one.
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
    if let credential = attempt.credential, credential.persistence == .none { return }
    let shared = sharedAuthentication(attempt)
    authentication = nil
    // A proxy's connection may be asked by the server as well, and is then wanted again.
    context.terms.authentication = outerAuthentication ?? (challenger.isProxy ? shared : nil)
    session.pool.settle(own, as: outerAuthentication ?? shared)
    remember(attempt, .connection(shared), .origin)
  }

  /// The authentication of all loads that use the attempt's credential.
  private func sharedAuthentication(_ attempt: AuthenticationAttempt) -> BoundAuthentication {
    guard let known = session.authentications.known(attempt.space), known.credential?.proof == attempt.credential?.proof,
      case .connection(let authentication) = known.proof
    else { return BoundAuthentication(.credential) }
    return authentication
  }
}
