import LoadingModel

/// How requests get to their origin.
///
/// `indirect`, so that the route of almost every load is one word.
package indirect enum Route: Sendable, Hashable {
  case direct
  /// The proxy is sent the requests, in absolute-form (RFC 9112, 3.2.2).
  case forward(Proxy)
  /// The proxy connects to the origin, and what follows passes through it unread.
  case tunnel(Proxy)

  /// The way to `origin` through `proxy`: requests for plain http, and for ftp, are forwarded where the proxy speaks HTTP.
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
