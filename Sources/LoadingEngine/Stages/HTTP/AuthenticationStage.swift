import HTTPTransport
import LoadingModel
import ProtocolRules

/// Authenticates to the server (RFC 9110, 11): adds the authorization that the session knows for the URL, and answers a 401 by finding a
/// credential.
///
/// It is below the cache, so that a 401 never reaches the cache. A load for whose URL no authorization is known costs one check.
struct AuthenticationStage: Stage {
  /// The session whose loading plan has the stage.
  // `unowned(unsafe)`, because a load keeps its session alive while it runs: the reference needs neither counting nor checks.
  unowned(unsafe) let session: LoadSession

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool {
    session.authentications.isEmpty && context.terms.authentication == nil && request.target?.gatewayLogin == nil
  }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
    loaded.response.status != ProtectionSpace.Peer.server.status
  }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    try await answer(try (consume outcome).get(), to: request, after: nil, context, next)
  }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    context.terms.authentication = nil
    let attempt = try await preemptive(request, next.load)
    let loaded = try await next(attempt?.authorized(request) ?? request, context)
    guard loaded.response.status == ProtectionSpace.Peer.server.status else {
      if let attempt { renew(attempt, loaded) }
      return loaded
    }
    return try await answer(loaded, to: request, after: attempt, context, next)
  }

  /// Answers a 401.
  private func answer(
    _ loaded: Loaded, to request: LoadRequest, after attempt: AuthenticationAttempt?, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    guard let target = request.target else { return loaded }
    var handler = AuthenticationHandler(session, request, target, context, next)
    return try await handler.answer(loaded, after: attempt)
  }

  /// The authorization that the session knows for a request, sent without waiting for a 401; nil if none is known. An `Authorization` field of
  /// the app's own is kept.
  private func preemptive(_ request: LoadRequest, _ load: Load) async throws(LoadError) -> AuthenticationAttempt? {
    guard let target = request.target else { return nil }
    if let login = target.gatewayLogin { return gatewayAttempt(login, request, target) }
    guard let known = session.authentications.known(for: target) else { return nil }
    guard !request.headers.contains(known.space.peer.authorizationField) else { return nil }
    var attempt = AuthenticationAttempt(space: known.space, credential: known.credential, source: .memory, proof: .basic)
    switch known.proof {
    case .basic:
      attempt.authorization = known.credential?.login.flatMap(BasicAuthentication.authorization)
    case .digest(var digest):
      let hash = digest.needsBodyHash ? try await BodyHash.make(request.body, digest.challenge.algorithm, load) : nil
      // Reading the body may have taken time: another load may have increased the nonce's count meanwhile.
      if case .digest(let latest)? = session.authentications.known(known.space)?.proof { digest = latest }
      guard let login = known.credential?.login, !digest.needsBodyHash || hash != nil else { return nil }
      let signed = AuthorizedRequest(method: request.method, origin: target.origin, uri: target.pathAndQuery)
      attempt.authorization = digest.authorization(signed, user: login.user, password: login.password, bodyHash: hash)
      attempt.proof = .digest(digest)
      session.authentications.update(known.space, .digest(digest))
    case .connection(let authentication):
      load.context.terms.authentication = authentication
      attempt.proof = .connection(authentication)
    }
    return attempt
  }

  /// The login of an FTP URL, for a proxy that fetches it. It is sent with the first request, because such a gateway doesn't ask for a login if
  /// the FTP server accepts anonymous users.
  private func gatewayAttempt(_ login: Credential, _ request: LoadRequest, _ target: Target) -> AuthenticationAttempt? {
    let space = ProtectionSpace.gateway(to: target.origin)
    guard !request.headers.contains(space.peer.authorizationField) else { return nil }
    return AuthenticationAttempt(
      space: space, credential: login, source: .url, proof: .basic,
      authorization: login.login.flatMap(BasicAuthentication.authorization))
  }

  /// Continues with the nonce that the server names in its response (`nextnonce`; RFC 7616, 3.5), if it names one.
  private func renew(_ attempt: AuthenticationAttempt, _ loaded: Loaded) {
    guard case .digest(var digest) = attempt.proof, loaded.response.hasField(attempt.space.peer.informationField) else { return }
    guard let head = loaded.response.httpHead, digest.renew(from: head, attempt.space.peer) else { return }
    session.authentications.update(attempt.space, .digest(digest))
  }
}

extension Target {
  /// The login in an FTP URL, whose file a proxy fetches; nil for all other URLs.
  var gatewayLogin: Credential? {
    guard user != nil, origin.scheme == "ftp" else { return nil }
    return Credential(of: self)
  }
}

extension ProtectionSpace {
  /// The protection space for the login of an FTP server that is sent to a proxy.
  static func gateway(to origin: Origin) -> ProtectionSpace { ProtectionSpace(.server, origin, realm: nil, method: .basic) }
}

extension AuthenticationAttempt {
  /// The request with this attempt's authorization.
  func authorized(_ request: LoadRequest) -> LoadRequest {
    guard let authorization else { return request }
    var request = request
    request.mutate { $0.headers.set(space.peer.authorizationField, authorization) }
    return request
  }
}

extension DigestSession {
  /// Random text for a client nonce (RFC 7616, 3.4): 128 bits in hexadecimal digits.
  static func clientNonce() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Continues with the nonce that a response names; false if it names none.
  mutating func renew(from head: ResponseHead, _ peer: ProtectionSpace.Peer) -> Bool {
    guard let nonce = DigestSession.nextNonce(in: head.headers, peer.informationField) else { return false }
    renew(nonce: nonce, clientNonce: DigestSession.clientNonce())
    return true
  }
}
