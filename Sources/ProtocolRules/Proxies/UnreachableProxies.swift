import LoadingModel

/// What a session has learnt of its proxies. Those that can't be reached are tried, for a while, after everything else that may be; one
/// that was reached before is given a moment to come back.
package struct UnreachableProxies: Sendable {
  /// Seconds for which one is put off.
  package static let lifetime = 300.0
  /// The same for one that has served loads: it will be back sooner.
  package static let lifetimeAfterService = 30.0
  /// Proxies that are remembered: a script can make up names.
  private static let limit = 100

  /// Seconds between the attempts to reach a proxy that a load went through before: it is being restarted.
  package static let pauses = [0.1, 0.2, 0.4, 0.8, 1.6]

  private var until: [Proxy: Instant] = [:]
  /// Proxies that have served loads.
  private var served: Set<Proxy> = []

  package init() {}

  package mutating func note(_ proxy: Proxy, now: Instant) {
    until = until.filter { $0.value > now }
    guard until.count < UnreachableProxies.limit else { return }
    let seconds = served.contains(proxy) ? UnreachableProxies.lifetimeAfterService : UnreachableProxies.lifetime
    until[proxy] = now.advanced(bySeconds: seconds)
  }

  /// The networks have changed: each may be there again.
  package mutating func forgetPutOff() { until = [:] }

  /// A load has been served through it.
  package mutating func noteService(of proxy: Proxy) {
    if !until.isEmpty { until[proxy] = nil }
    if served.count < UnreachableProxies.limit { served.insert(proxy) }
  }

  package func hasServed(_ proxy: Proxy) -> Bool { served.contains(proxy) }

  /// How long to wait for a proxy to come back, if it was there before; nil if that is no use.
  ///
  /// - Parameter pausesSoFar: Pauses of this load.
  package mutating func pause(for proxy: Proxy, pausesSoFar: Int) -> Double? {
    guard served.contains(proxy) else { return nil }
    guard pausesSoFar < UnreachableProxies.pauses.count else {
      // Later loads don't wait for the proxy again.
      served.remove(proxy)
      return nil
    }
    return UnreachableProxies.pauses[pausesSoFar]
  }

  /// `routes` with those of unreachable proxies at the end; otherwise in their order.
  package func ordered(_ routes: [Route], now: Instant) -> [Route] {
    guard !until.isEmpty, routes.count > 1 else { return routes }
    func isPutOff(_ route: Route) -> Bool { route.proxy.flatMap { until[$0] }.map { $0 > now } ?? false }
    return routes.filter { !isPutOff($0) } + routes.filter(isPutOff)
  }
}
