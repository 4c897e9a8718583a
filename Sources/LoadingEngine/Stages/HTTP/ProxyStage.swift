import HTTPTransport
import LoadingModel
import ProtocolRules

/// Sends a load through the proxy that the settings name for it, tries other routes if that can't be reached, and answers the proxy's 407.
///
/// It is below the cache and all stages that remember what servers say, so that a proxy's own responses never get there. A session without
/// proxies doesn't have the stage.
struct ProxyStage: Stage {
  unowned let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let target = request.target else { return try await next(request, context) }
    session.watchNetworks()
    let proxies = session.proxies
    let all = try await proxies.routes(to: target.origin, next.load)
    var routes = all[...]
    var pauses = 0
    var isOneAway = false
    while let route = routes.popFirst() {
      do throws(LoadError) {
        let loaded = try await load(request, target, over: route, isLast: routes.isEmpty, context, next)
        proxies.note(route, isReachable: true, now: context.clock.now)
        return loaded
      } catch {
        let isClosed = route.isClosed(error)
        // A slow proxy may still serve other loads. But one that has never served any, and has used up a load's time, is tried last from now on.
        let isSilent = error.proxy?.isSlow == true || hasOnlyWaited(context, target)
        if isClosed && !isSilent || isSilent && !proxies.hasServed(route) {
          proxies.note(route, isReachable: false, now: context.clock.now)
        }
        // If the route is closed, nothing has been sent yet, so that any request may use the next route.
        guard isClosed, context.failure == nil else { throw error }
        if error.proxy?.isAway == true { isOneAway = true }
        if routes.isEmpty {
          guard isOneAway, let pause = proxies.pause(for: all, pausesSoFar: pauses) else { throw error }
          pauses += 1
          isOneAway = false
          try await context.pause(seconds: pause)
          routes = all[...]
        }
        context.beginTransaction(request)
      }
    }
    return try await next(request, context)
  }

  /// Whether the load timed out before it got a connection, and there is no connection that it might have waited for.
  private func hasOnlyWaited(_ context: LoadContext, _ target: Target) -> Bool {
    guard context.failure?.kind == .timedOut, context.record.requestStart == nil else { return false }
    return !session.pool.hasConnections(to: session.pool.destination(target.origin, context))
  }

  private func load(
    _ request: LoadRequest, _ target: Target, over route: Route, isLast: Bool, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    guard let proxy = route.proxy else {
      context.terms.routeAttempt = nil
      return try await next(request, context)
    }
    context.terms.routeAttempt = RouteAttempt(route)
    context.terms.routeAttempt?.isLastWay = isLast
    var outerAuthentication = context.terms.authentication
    var attempt: AuthenticationAttempt?
    if proxy.kind.isHTTP {
      var memory = session.authentications
      var known = memory.known(proxy: proxy.origin)
      if known == nil, let logins = next.load.proxyLogins { (memory, known) = (logins, logins.known(proxy: proxy.origin)) }
      // The authentication in the terms may be that of this proxy, left by an earlier attempt or by the stage above: it isn't the server's, and
      // is removed.
      if case .connection(let own)? = known?.proof, context.terms.authentication === own {
        (context.terms.authentication, outerAuthentication) = (nil, nil)
      }
      attempt = known.flatMap { preemptive($0, of: memory, request, target, route, context) }
    }
    let loaded: Loaded
    do throws(LoadError) {
      loaded = try await next(request, context)
    } catch {
      context.terms.authentication = outerAuthentication
      throw error
    }
    guard loaded.response.status == ProtectionSpace.Peer.proxy.status, proxy.kind.isHTTP else { return loaded }
    let challenger = AuthenticationChallenger.proxy(proxy, route)
    // A 407 that comes from the origin through a tunnel must not change what is known of the proxy.
    guard challenger.asks(in: loaded) else { return loaded }
    var handler = AuthenticationHandler(session, request, target, context, next, challenger: challenger, within: outerAuthentication)
    let final = try await handler.answer(loaded, after: attempt)
    // A proxy's response to CONNECT must not be taken for the origin's: the load fails with the refusal's error.
    if let refusal = final.body as? TunnelRefusal { throw refusal.error }
    return final
  }

  /// Sets the known authorization for the request to the proxy, or for the CONNECT of its tunnel; nil if there is none to send in advance.
  /// - Parameter memory: Where `known` comes from: the session's memory, or the load's own.
  private func preemptive(
    _ known: AuthenticationMemory.Known, of memory: AuthenticationMemory, _ request: LoadRequest, _ target: Target, _ route: Route,
    _ context: LoadContext
  ) -> AuthenticationAttempt? {
    var attempt = AuthenticationAttempt(space: known.space, credential: known.credential, source: .memory, proof: .basic)
    switch known.proof {
    case .basic:
      guard let login = known.credential?.login else { return nil }
      let value = BasicAuthentication.authorization(user: login.user, password: login.password)
      context.terms.routeAttempt?.authorize = { _ in value }
    case .digest(let digest):
      // With `auth-int` the body's hash would be needed first: the proxy's challenge is waited for.
      guard !digest.needsBodyHash, let login = known.credential?.login else { return nil }
      attempt.proof = .digest(digest)
      let forwarded = AuthorizedRequest(request, target, over: route)
      context.terms.routeAttempt?.authorize = { tunnel in
        // The authorization is computed as late as possible, because other loads use the same nonce and increase its count.
        guard case .digest(var latest)? = memory.known(known.space)?.proof, !latest.needsBodyHash else { return nil }
        let signed = tunnel.map { AuthorizedRequest(tunnelTo: $0) } ?? forwarded
        let value = latest.authorization(signed, user: login.user, password: login.password, bodyHash: nil)
        memory.update(known.space, .digest(latest))
        return value
      }
    case .connection(let authentication):
      if case .tunnel = route {
        attempt.proof = .tunnel(nil)
        context.terms.routeAttempt?.makeTunnelAuthenticator(attempt, AuthorizedRequest(request, target, over: route), context, nil)
      } else {
        // A connection that the load alone has authenticated has been closed.
        guard memory === session.authentications else { return nil }
        // The connection may be bound to the server's authentication already; it is then authenticated to the proxy within that.
        if context.terms.authentication == nil { context.terms.authentication = authentication }
        attempt.proof = .connection(authentication)
      }
    }
    return attempt
  }
}

extension Route {
  /// Whether the error says that this route can't be used, so that another one may be tried.
  fileprivate func isClosed(_ error: LoadError) -> Bool {
    if let fault = error.proxy { return fault.isUnreachable || fault.isSlow }
    return self == .direct && error.resendReason == .notConnected
  }
}

extension RouteAttempt {
  /// Has each tunnel authenticated by a mechanism of its own; `first` is one that has begun, for the first tunnel.
  func makeTunnelAuthenticator(
    _ attempt: AuthenticationAttempt, _ signed: AuthorizedRequest, _ context: LoadContext, _ first: TunnelMechanism?
  ) {
    var first = first
    authorize = nil
    makeTunnelAuthenticator = { [unowned context] in
      defer { first = nil }
      return first ?? TunnelMechanism(attempt.space, signed, attempt.credential, context)
    }
  }
}

extension AuthorizedRequest {
  /// The CONNECT for a tunnel to `origin`.
  init(tunnelTo origin: Origin) { self.init(method: "CONNECT", origin: origin, uri: ConnectRules.target(origin)) }

  /// The parts of a request that a proxy's authorization covers: those of the forwarded request, or of the CONNECT for a tunnel.
  init(_ request: LoadRequest, _ target: Target, over route: Route) {
    if case .tunnel = route {
      self.init(tunnelTo: target.origin)
    } else {
      self.init(method: request.method, origin: target.origin, uri: ConnectRules.absoluteForm(target))
    }
  }
}
