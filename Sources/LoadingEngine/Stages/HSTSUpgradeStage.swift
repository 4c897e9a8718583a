import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// HTTP Strict Transport Security (RFC 6797): upgrades loads to TLS whose host asked for it. `HSTSRecordStage` notes hosts that ask.
///
/// It is below the redirects, so that each request of a load is looked at, and above the choice of protocol, because the scheme changes.
/// The app sees an upgrade as a change of its current request, not as a redirect.
struct HSTSUpgradeStage: Stage {
  let hosts: HSTSStore

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let origin = request.target?.origin else { return try await next(request, context) }
    if origin.isSecure { return try await next(request, context) }
    let known = hosts.requiresTLS(origin.host, now: context.clock.date)
    // The common case, without a further async call.
    if known == false { return try await next(request, context) }
    if known == nil, try await !isLearned(origin.host, context) { return try await next(request, context) }
    guard let upgraded = upgrade(request, origin, next.load) else {
      return try await next(request, context)
    }
    return try await next(upgraded, context)
  }

  private func isLearned(_ host: String, _ context: LoadContext) async throws(LoadError) -> Bool {
    try await AppWait<Void>.disk(context) { [hosts] in await hosts.refresh() }
    return hosts.isKnownToRequireTLS(host, now: context.clock.date)
  }

  private func upgrade(_ request: LoadRequest, _ origin: Origin, _ load: Load) -> LoadRequest? {
    guard let url = request.url.flatMap(SecureUpgrade.url) else { return nil }
    var upgraded = request
    upgraded.mutate { $0.url = url }
    guard let secured = upgraded.target?.origin else { return nil }
    load.origins.move(from: origin, to: secured)
    load.context.record.request = upgraded
    load.client.requestChanged(upgraded)
    return upgraded
  }
}
