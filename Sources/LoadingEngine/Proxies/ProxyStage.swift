import HTTPPolicy
import HTTPTransport
import LoadingModel

/// Sends a load through the proxy that is meant for it, and answers when the proxy asks who is calling (407).
///
/// Below the cache and everything that remembers what servers say: a proxy's own answers never get there. Not there at all in a session
/// without proxies.
struct ProxyStage: Stage {
  unowned let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let target = request.target else { return try await next(request, context) }
    var routes = try await session.proxies.routes(to: target, request, context, next.client)[...]
    while let route = routes.popFirst() {
      do throws(LoadError) {
        return try await load(request, target, over: route, context, next)
      } catch {
        // Nothing has been sent yet, so that the next way is open to any request.
        guard error.proxy?.isUnreachable == true, !routes.isEmpty, context.failure == nil else { throw error }
        context.beginTransaction(request)
      }
    }
    return try await next(request, context)
  }

  private func load(
    _ request: LoadRequest, _ target: Target, over route: Route, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    guard let proxy = route.proxy else {
      context.passage = nil
      return try await next(request, context)
    }
    context.passage = Passage(route)
    let attempt = proxy.kind.isHTTP ? preemptive(request, target, route, proxy, context) : nil
    let loaded = try await next(request, context)
    guard loaded.response.status == ProtectionSpace.Peer.proxy.status, proxy.kind.isHTTP else { return loaded }
    var conversation = AuthenticationConversation(session, request, target, context, next, asker: .proxy(proxy, route))
    let final = try await conversation.answer(loaded, after: attempt)
    // What a proxy says in the place of a tunnel isn't the origin's answer.
    if let refusal = final.body as? TunnelRefusal { throw refusal.error }
    return final
  }

  /// What the request, or the tunnel for it, brings along.
  private func preemptive(
    _ request: LoadRequest, _ target: Target, _ route: Route, _ proxy: Proxy, _ context: LoadContext
  ) -> AuthenticationAttempt? {
    let memory = session.authentications
    guard let known = memory.known(proxy: proxy.origin), let login = known.credential?.login else { return nil }
    var attempt = AuthenticationAttempt(space: known.space, credential: known.credential, source: .memory, proof: .basic)
    switch known.proof {
    case .basic:
      let value = BasicAuthentication.authorization(user: login.user, password: login.password)
      context.passage?.authorize = { value }
    case .digest(let digest):
      // It would need the hash of the body: after the challenge.
      guard !digest.needsBodyHash else { return nil }
      attempt.proof = .digest(digest)
      let signed = AuthorizedRequest(request, target, over: route)
      context.passage?.authorize = {
        // As late as possible: other loads count as well.
        guard case .digest(var latest)? = memory.known(known.space)?.proof, !latest.needsBodyHash else { return nil }
        let value = latest.authorization(signed, user: login.user, password: login.password, bodyHash: nil)
        memory.update(known.space, .digest(latest))
        return value
      }
    case .connection: return nil
    }
    return attempt
  }
}

extension AuthorizedRequest {
  /// What is authorized to a proxy: the request in the form in which it is sent, or the tunnel.
  init(_ request: LoadRequest, _ target: Target, over route: Route) {
    if case .tunnel = route {
      self.init(method: "CONNECT", origin: target.origin, uri: ConnectRules.target(target.origin))
    } else {
      self.init(method: request.method, origin: target.origin, uri: ConnectRules.absoluteForm(target))
    }
  }
}
