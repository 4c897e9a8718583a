import LoadingModel

/// How requests get to their origin: directly or through a proxy.
///
/// `indirect` makes the value a single word, which for almost every load is `direct`.
package indirect enum Route: Sendable, Hashable {
  case direct
  /// The proxy receives the requests in absolute-form and forwards them (RFC 9112, 3.2.2).
  case forward(Proxy)
  /// The proxy connects to the origin, and passes all bytes in both directions without reading them.
  case tunnel(Proxy)

  /// The route to `origin` through `proxy`: http and ftp requests are forwarded if the proxy speaks HTTP; all others use a tunnel.
  package init(to origin: Origin, through proxy: Proxy) {
    self = proxy.kind.isHTTP && (origin.scheme == "http" || origin.scheme == "ftp") ? .forward(proxy) : .tunnel(proxy)
  }

  package var proxy: Proxy? {
    switch self {
    case .direct: nil
    case .forward(let proxy), .tunnel(let proxy): proxy
    }
  }

  package var isDirect: Bool {
    if case .direct = self { true } else { false }
  }
}
