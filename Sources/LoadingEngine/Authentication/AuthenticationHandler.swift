import HTTPTransport
import LoadingModel
import ProtocolRules

/// Answers a 401, or a proxy's 407: finds credentials, tries them, and remembers those that were right. Lives for one request.
struct AuthenticationHandler {
  /// The most requests that one authentication sends. Apple's loader continues as long as the app answers; this limit only ends an endless
  /// exchange.
  private static let requestLimit = 100
  /// How often in a row a server may call a nonce stale.
  private static let renewalLimit = 3

  let session: LoadSession
  let request: LoadRequest
  let target: Target
  let context: LoadContext
  let next: Next
  /// The server or proxy that demands authentication.
  let challenger: AuthenticationChallenger
  var peer: ProtectionSpace.Peer { challenger.peer }
  /// Protection spaces that the app has rejected, or in which nothing is left to try.
  var closed: Set<ProtectionSpace> = []
  /// The credentials that each protection space has refused, in the order of refusal.
  var refused: [ProtectionSpace: [Credential]] = [:]
  /// Whether the app has left this response to default handling: it isn't asked about the other challenges in it.
  var isLeftToDefaults = false
  /// Whether the response at hand answers the request as it was first sent, with the authorization that the session knew, if any.
  private var isFirstAnswer = true
  private var renewals = 0
  /// Whether the connection of an authentication has been lost once already.
  var hasRestarted = false
  /// Whether the request has been sent once without an authorization, after the server accepted it without its body.
  var hasSentWhole = false
  /// The bound authentication of this handler's connection while its messages are exchanged; nil otherwise.
  var authentication: BoundAuthentication?
  /// The server's bound authentication, if a proxy's takes place within it: the connection stays bound to the server's.
  let outerAuthentication: BoundAuthentication?

  init(
    _ session: LoadSession, _ request: LoadRequest, _ target: Target, _ context: LoadContext, _ next: Next,
    challenger: AuthenticationChallenger = .server, within outerAuthentication: BoundAuthentication? = nil
  ) {
    self.challenger = challenger
    self.outerAuthentication = outerAuthentication
    self.session = session
    self.request = request
    self.target = target
    self.context = context
    self.next = next
  }

  /// The final response: one that isn't a 401 or 407, or one that can't be answered.
  mutating func answer(_ loaded: Loaded, after attempt: AuthenticationAttempt?) async throws(LoadError) -> Loaded {
    var loaded = loaded
    var attempt = attempt
    do throws(LoadError) {
      for _ in 0..<AuthenticationHandler.requestLimit {
        guard let following = try await attemptFollowing(attempt, loaded) else { break }
        if let standing = try await standing(loaded) {
          loaded = standing
          break
        }
        leaveDoubtfulConnection()
        let sent = try await send(following, after: loaded)
        (loaded, attempt) = (sent.loaded, sent.attempt)
        if lacksBody(sent.attempt, loaded) { (loaded, attempt) = (try await sendWhole(after: loaded), nil) }
        guard loaded.response.status == peer.status, challenger.asks(in: loaded) else {
          if let attempt { try await succeeded(attempt, loaded) }
          break
        }
      }
    } catch {
      release()
      loaded.body.abandon()
      throw error
    }
    release()
    return loaded
  }

  // MARK: choosing an attempt

  private mutating func attemptFollowing(_ last: AuthenticationAttempt?, _ loaded: Loaded) async throws(LoadError) -> AuthenticationAttempt?
  {
    guard let head = loaded.response.httpHead else { return nil }
    let offers = await ConnectionMechanisms.supported(AuthenticationOffer.all(from: peer, at: challenger.origin(target), in: head))
    if let last {
      if let going = try await continuation(of: last, offers) { return going }
      if !isPassedOver(last, offers) { noteFailure(last) }
    }
    isFirstAnswer = false
    isLeftToDefaults = false
    for offer in offers where !closed.contains(offer.space) {
      try context.checkpoint()
      switch try await finding(for: offer, loaded.response) {
      case .nothing: continue
      case .noCredential: return nil
      case .credential(let credential, let source):
        if let attempt = try await begin(offer, credential, source) { return attempt }
        release()
        closed.insert(offer.space)
      }
    }
    return nil
  }

  /// The next step with the same credential, if the 401 doesn't refuse it; nil if it does.
  private mutating func continuation(
    of last: AuthenticationAttempt, _ offers: [AuthenticationOffer]
  ) async throws(LoadError) -> AuthenticationAttempt? {
    guard let offer = offers.first(where: { $0.space == last.space }) else { return nil }
    switch last.proof {
    case .basic: return nil
    case .digest(let digest):
      guard let challenge = offer.digest, isStale(challenge, digest, last.source), renewals < AuthenticationHandler.renewalLimit
      else { return nil }
      renewals += 1
      return try await begin(offer, last.credential, last.source)
    // The connection hadn't been authenticated after all, or the server demands authentication for each request.
    case .connection: return try await begin(offer, last.credential, last.source)
    case .tunnel: return nil
    case .mechanism(var mechanism, let isUnfinished):
      guard isUnfinished, offer.field.token68 != nil else { return nil }
      let following = await mechanism.respond(to: offer.field, signed)
      return step(following, mechanism, offer.space, last.credential, last.source)
    }
  }

  /// Whether the nonce has expired. Some servers omit `stale`: a remembered nonce that is refused, while another is offered, counts as expired
  /// too, once.
  private func isStale(_ challenge: DigestChallenge, _ used: DigestSession, _ source: AuthenticationAttempt.Source) -> Bool {
    if challenge.isStale { return true }
    guard case .memory = source else { return false }
    return renewals == 0 && challenge.nonce != used.challenge.nonce
  }

  /// Whether a remembered credential, which was sent unasked, isn't refused: the challenge is for other protection spaces, such as that of a folder
  /// with a realm of its own. The credential stays remembered.
  private func isPassedOver(_ last: AuthenticationAttempt, _ offers: [AuthenticationOffer]) -> Bool {
    guard isFirstAnswer, case .memory = last.source, !offers.isEmpty else { return false }
    return !offers.contains { $0.space == last.space }
  }

  private mutating func noteFailure(_ last: AuthenticationAttempt) {
    release()
    next.load.refusedAttempts += 1
    session.authentications.forget(last.space, last.credential)
    next.load.proxyLogins?.forget(last.space, last.credential)
    if let credential = last.credential {
      refused[last.space, default: []].append(credential)
    } else {
      closed.insert(last.space)
    }
  }

  /// The first authorization with a credential; nil if the scheme can't use it.
  private mutating func begin(
    _ offer: AuthenticationOffer, _ credential: Credential?, _ source: AuthenticationAttempt.Source
  ) async throws(LoadError) -> AuthenticationAttempt? {
    var attempt = AuthenticationAttempt(space: offer.space, credential: credential, source: source, proof: .basic)
    if let challenge = offer.digest {
      guard let login = credential?.login else { return nil }
      var digest = DigestSession(challenge, clientNonce: DigestSession.clientNonce())
      let hash = digest.needsBodyHash ? try await BodyHash.make(challenger.signedBody(request), challenge.algorithm, next.load) : nil
      guard !digest.needsBodyHash || hash != nil else { return nil }
      attempt.authorization = digest.authorization(signed, user: login.user, password: login.password, bodyHash: hash)
      attempt.proof = .digest(digest)
    } else if offer.method == .basic {
      attempt.authorization = credential?.login.flatMap(BasicAuthentication.authorization)
    } else {
      return await beginMechanism(offer.field, offer.space, credential, source)
    }
    return attempt.authorization == nil ? nil : attempt
  }

  mutating func beginMechanism(
    _ field: AuthenticateField, _ space: ProtectionSpace, _ credential: Credential?, _ source: AuthenticationAttempt.Source
  ) async -> AuthenticationAttempt? {
    guard var mechanism = ConnectionMechanisms.make(space.method, credential, space.origin, context) else { return nil }
    if mechanism.isConnectionBound, !challenger.opensTunnel { bindConnection() }
    let first = await mechanism.respond(to: field, signed)
    if challenger.opensTunnel {
      guard first != .failed else { return nil }
      let conversation = TunnelMechanism(space, signed, mechanism, first, context)
      return AuthenticationAttempt(space: space, credential: credential, source: source, proof: .tunnel(conversation))
    }
    return step(first, mechanism, space, credential, source)
  }

  private var signed: AuthorizedRequest { challenger.signed(request, target) }

  private func step(
    _ step: MechanismStep, _ mechanism: any AuthenticationMechanism, _ space: ProtectionSpace, _ credential: Credential?,
    _ source: AuthenticationAttempt.Source
  ) -> AuthenticationAttempt? {
    switch step {
    case .failed: nil
    case .needsMore(let value):
      AuthenticationAttempt(
        space: space, credential: credential, source: source, proof: .mechanism(mechanism, isUnfinished: true), authorization: value)
    case .authorize(let value):
      AuthenticationAttempt(
        space: space, credential: credential, source: source, proof: .mechanism(mechanism, isUnfinished: false), authorization: value)
    }
  }

  // MARK: connections

  /// Binds the messages to one connection: the last one if it was bound before, else the one that the next message gets.
  private mutating func bindConnection() {
    let own = BoundAuthentication(.handshake)
    if let former = context.terms.authentication, let connection = context.terms.boundConnection, !doubtsConnection {
      session.pool.bound.move(connection, from: former, to: own)
    }
    context.terms.boundConnection = nil
    context.terms.authentication = own
    authentication = own
  }

  /// Whether the connection of a refused request shouldn't be used again: some proxies (squid) never read the rest of a body that they have
  /// refused, but keep the connection open.
  private var doubtsConnection: Bool {
    guard case .proxy(_, .forward) = challenger else { return false }
    switch request.body {
    case .none: return false
    case .data(let data): return data.count > AuthenticationHandler.harmlessBody
    case .file, .parts, .stream, .suppliedStream, .pieces: return true
    }
  }

  /// The most bytes of a body that a proxy will have received together with the head, so that its connection is safe to use.
  private static let harmlessBody = 4096

  private func leaveDoubtfulConnection() {
    guard doubtsConnection else { return }
    // During a connection's authentication no body has been sent, and the messages need that very connection.
    if context.terms.authentication?.holder == .handshake, context.terms.boundConnection != nil { return }
    session.pool.closeIdle(to: session.pool.destination(target.origin, context))
  }

  /// Releases the connection that the authentication is bound to, which is then closed, as no other load may use it. Called when the
  /// authentication has ended or begins anew.
  mutating func release() {
    guard let own = authentication else { return }
    authentication = nil
    context.terms.authentication = outerAuthentication
    session.pool.settle(own, as: nil)
  }
}
