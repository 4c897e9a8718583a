import HTTPPolicy
import LoadingModel

/// What a connection leads to, and on which way: connections serve loads of the same destination.
package struct Destination: Sendable, Hashable {
  package let origin: Origin
  package let route: Route

  package init(_ origin: Origin, _ route: Route = .direct) {
    self.origin = origin
    self.route = route
  }

  /// Who is sent the requests: the origin, or the proxy that forwards them.
  var server: Origin {
    if case .forward(let proxy) = route { proxy.origin } else { origin }
  }

  /// Whether everything that is said there passes through TLS to a proxy.
  var isWrapped: Bool { route.proxy?.kind == .https }
}
