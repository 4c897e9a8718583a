import LoadingModel

/// The proxies of which a session has learnt that they can't be reached: for a while they are tried after everything else that may be.
package struct UnreachableProxies: Sendable {
  /// Seconds for which one is put off.
  package static let lifetime = 300.0
  /// Proxies that are remembered: a script can make up names.
  private static let limit = 100

  private var until: [Proxy: Instant] = [:]

  package init() {}

  package mutating func note(_ proxy: Proxy, now: Instant) {
    until = until.filter { $0.value > now }
    guard until.count < UnreachableProxies.limit else { return }
    until[proxy] = now.advanced(bySeconds: UnreachableProxies.lifetime)
  }

  /// It has been reached.
  package mutating func forget(_ proxy: Proxy) {
    if !until.isEmpty { until[proxy] = nil }
  }

  /// `routes` with those of unreachable proxies at the end; otherwise in their order.
  package func ordered(_ routes: [Route], now: Instant) -> [Route] {
    guard !until.isEmpty, routes.count > 1 else { return routes }
    func isPutOff(_ route: Route) -> Bool { route.proxy.flatMap { until[$0] }.map { $0 > now } ?? false }
    return routes.filter { !isPutOff($0) } + routes.filter(isPutOff)
  }
}
