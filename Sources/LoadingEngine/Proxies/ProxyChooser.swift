import HTTPPolicy
import HTTPTransport
import LoadingModel

/// A session's proxies: which way a load goes. Confined to the session's event loop.
package final class ProxyChooser: @unchecked Sendable {
  // @unchecked: confined to the session's event loop.
  private let settings: ProxySettings
  private let scripts: ProxyScripts?

  package init(_ settings: LoadSettings, _ executor: LoopExecutor) {
    self.settings = settings.proxies
    scripts = if case .success(let script)? = settings.proxies.script { ProxyScripts(script, settings, executor) } else { nil }
  }

  var isEmpty: Bool { settings.isEmpty }

  /// The ways to try, in order. Throws if a proxy was asked for that can't be used.
  func routes(
    to target: Target, _ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient
  ) async throws(LoadError) -> [Route] {
    switch try settings.choice(for: target.origin) {
    case .routes(let routes): return routes
    case .script:
      guard let scripts else { return [.direct] }
      return try ProxyScriptAnswer.routes(try await scripts.answer(for: target.origin, context), to: target.origin)
    }
  }

  /// Whether a URL of FTP's goes to a proxy that speaks HTTP. Throws if it is to go through one that doesn't.
  func forwardsFTP(to origin: Origin) throws(LoadError) -> Bool {
    guard !isEmpty, case .routes(let routes) = try settings.choice(for: origin), let proxy = routes.first?.proxy else { return false }
    guard proxy.kind.isHTTP else {
      throw LoadError(
        .unsupportedURL, .admission,
        "FTP doesn't go through SOCKS proxies here; exclude the host from the proxy, or set an HTTP proxy for ftp")
    }
    return true
  }
}
