import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// HTTP Strict Transport Security (RFC 6797): upgrades loads to TLS if their host has asked for it, or is on the session's preload list.
/// `HSTSRecordStage` notes hosts that ask.
///
/// It is below the redirects, so that each request of a load is checked, and above the choice of the protocol, because the scheme changes. The
/// app sees an upgrade as a change of its current request, not as a redirect.
struct HSTSUpgradeStage: Stage {
  let hosts: HSTSStore
  var list: SecureHostList?

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { requiresTLS(request, context) == false }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    try await next(try await upgraded(request, isKnown: requiresTLS(request, context) == true, next.load), context)
  }

  /// Whether a request without TLS must be upgraded; nil if the store must first be read from disk.
  private func requiresTLS(_ request: LoadRequest, _ context: LoadContext) -> Bool? {
    guard let origin = request.target?.origin, !origin.isSecure else { return false }
    if let list, list.requiresTLS(origin.host) { return true }
    return hosts.requiresTLS(origin.host, now: context.clock.date)
  }

  /// The request upgraded to TLS if its host has asked for that; else unchanged.
  private func upgraded(_ request: LoadRequest, isKnown: Bool, _ load: Load) async throws(LoadError) -> LoadRequest {
    guard let origin = request.target?.origin else { return request }
    if !isKnown {
      let context = load.context
      try await AppWait<Void>.disk(context) { [hosts] in await hosts.refresh() }
      guard hosts.isKnownToRequireTLS(origin.host, now: context.clock.date) else { return request }
    }
    return upgrade(request, origin, load) ?? request
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
