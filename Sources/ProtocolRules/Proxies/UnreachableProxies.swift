import LoadingModel

/// What a session has learnt of its proxies. Routes through proxies that couldn't be reached are tried last for a while; a load waits a short
/// time for a proxy that was reached before.
package struct UnreachableProxies: Sendable {
  /// Seconds for which a proxy that couldn't be reached is tried last.
  package static let lifetime = 300.0
  /// Seconds for which a proxy that couldn't be reached is tried last, if it has served loads before: it will probably be back sooner.
  package static let lifetimeAfterService = 30.0
  /// The most proxies that are remembered: a proxy script can return any number of names.
  private static let limit = 100

  /// Seconds between a load's attempts to reach a proxy that has served loads before: it may be restarting.
  package static let pauses = [0.1, 0.2, 0.4, 0.8, 1.6]

  private var until: [Proxy: Instant] = [:]
  /// Proxies through which loads have been served.
  private var served: Set<Proxy> = []

  package init() {}

  package mutating func note(_ proxy: Proxy, now: Instant) {
    until = until.filter { $0.value > now }
    guard until.count < UnreachableProxies.limit else { return }
    let seconds = served.contains(proxy) ? UnreachableProxies.lifetimeAfterService : UnreachableProxies.lifetime
    until[proxy] = now.advanced(bySeconds: seconds)
  }

  /// Tries no proxy last any longer, after the networks have changed: each may be reachable again.
  package mutating func forgetPutOff() { until = [:] }

  /// Notes that a load has been served through the proxy.
  package mutating func noteService(of proxy: Proxy) {
    if !until.isEmpty { until[proxy] = nil }
    if served.count < UnreachableProxies.limit { served.insert(proxy) }
  }

  package func hasServed(_ proxy: Proxy) -> Bool { served.contains(proxy) }

  /// Seconds to wait for a proxy to come back, if it has served loads before; nil if a load isn't to wait (any longer).
  ///
  /// - Parameter pausesSoFar: How often this load has waited already.
  package mutating func pause(for proxy: Proxy, pausesSoFar: Int) -> Double? {
    guard served.contains(proxy) else { return nil }
    guard pausesSoFar < UnreachableProxies.pauses.count else {
      // Later loads don't wait for the proxy again.
      served.remove(proxy)
      return nil
    }
    return UnreachableProxies.pauses[pausesSoFar]
  }

  /// `routes`, those through proxies that couldn't be reached at the end; otherwise the order stays.
  package func ordered(_ routes: [Route], now: Instant) -> [Route] {
    guard !until.isEmpty, routes.count > 1 else { return routes }
    func isPutOff(_ route: Route) -> Bool { route.proxy.flatMap { until[$0] }.map { $0 > now } ?? false }
    return routes.filter { !isPutOff($0) } + routes.filter(isPutOff)
  }
}
