import HTTPPolicy
import HTTPTransport
import LoadingModel
import Stores

/// HTTP Strict Transport Security (RFC 6797): takes loads to TLS whose host asked for it. `TransportSecurityReceiptStage` notes hosts that ask.
///
/// Stands below the redirects, so that each request of a load is looked at, and above the choice of protocol, because the scheme changes.
/// The app sees an upgrade as a change of its current request, not as a redirect.
struct TransportSecurityStage: Stage {
  let hosts: HSTSStore

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let origin = request.target?.origin else { return try await next(request, context) }
    if origin.isSecure { return try await next(request, context) }
    let known = hosts.requiresTLS(origin.host, now: context.clock.date)
    // The common case, without a further async call.
    if known == false { return try await next(request, context) }
    if known == nil, try await !isLearned(origin.host, context) { return try await next(request, context) }
    guard let upgraded = upgrade(request, origin, context, next.client) else {
      return try await next(request, context)
    }
    return try await next(upgraded, context)
  }

  private func isLearned(_ host: String, _ context: LoadContext) async throws(LoadError) -> Bool {
    try await AppWait<Void>.disk(context) { [hosts] in await hosts.refresh() }
    return hosts.isKnownToRequireTLS(host, now: context.clock.date)
  }

  private func upgrade(_ request: LoadRequest, _ origin: Origin, _ context: LoadContext, _ client: any LoadClient) -> LoadRequest? {
    guard let url = request.url.flatMap(SecureUpgrade.url) else { return nil }
    var upgraded = request
    upgraded.mutate { $0.url = url }
    guard let secured = upgraded.target?.origin else { return nil }
    context.originMoved(from: origin, to: secured)
    context.record.request = upgraded
    client.requestChanged(upgraded)
    return upgraded
  }
}

/// Notes hosts that ask for Strict Transport Security, in whatever comes from the network: a 304 as well, and errors that the cache hides.
struct TransportSecurityReceiptStage: Stage {
  let hosts: HSTSStore

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    let loaded = try await next(request, context)
    if loaded.response.hasField("Strict-Transport-Security"), let origin = request.target?.origin, origin.isSecure {
      note(loaded, origin, context)
    }
    return loaded
  }

  /// 8.1: "If an HTTP response, received over a secure transport, includes an STS header field …, and there are no underlying secure
  /// transport errors or warnings".
  private func note(_ loaded: Loaded, _ origin: Origin, _ context: LoadContext) {
    guard context.record.fetchType == .networkLoad, context.record.connection?.isTrustOverridden != true else { return }
    guard let head = loaded.response.httpHead, let policy = StrictTransportSecurity(head.headers) else { return }
    hosts.note(policy, from: origin.host, now: context.clock.date)
  }
}
