import LoadingModel
import ProtocolRules

/// What a connection leads to, by which route, and what may be negotiated on it: connections serve loads of the same destination.
package struct Destination: Sendable, Hashable {
  /// What the client offers to negotiate on a connection.
  package enum Offer: Sendable, Hashable {
    /// HTTP/2 or HTTP/1.1, as the server chooses in the handshake; without TLS, HTTP/1.1.
    case any
    /// As `any`, on a connection that no load but one uses: the one whose request was misdirected (RFC 9110, 15.5.20).
    case own(Int)
    /// HTTP/1.1 alone: for what belongs to one connection (NTLM, Negotiate), and where the server has asked for it.
    case http1
  }

  package let origin: Origin
  package let route: Route
  package let offer: Offer
  /// How its packets are marked.
  package let traffic: TrafficClass

  package init(_ origin: Origin, _ route: Route = .direct, offer: Offer = .any, traffic: TrafficClass = .standard) {
    self.origin = origin
    self.route = route
    self.offer = offer
    self.traffic = traffic
  }

  /// The server that the requests are sent to: the origin, or the proxy that forwards them.
  var server: Origin {
    if case .forward(let proxy) = route { proxy.origin } else { origin }
  }

  /// Whether everything that is sent there passes through TLS to a proxy.
  var isWrapped: Bool { route.proxy?.kind == .https }

  /// Whether a server may choose HTTP/2. Never without TLS, and not for WebSockets, which begin as an upgrade of HTTP/1.1 (RFC 6455).
  var allowsHTTP2: Bool {
    switch offer {
    case .any, .own: origin.scheme == "https"
    case .http1: false
    }
  }

  /// Whether a connection may serve another load after the first.
  var allowsReuse: Bool {
    switch offer {
    case .any, .http1: true
    case .own: false
    }
  }

  /// Whether connections may serve other origins, and other origins' connections this one: where a proxy connects to is unknown.
  var allowsSharing: Bool {
    switch offer {
    case .any: origin.scheme == "https" && route == .direct && !origin.isUnixSocket
    case .own, .http1: false
    }
  }

  /// Whether HTTP/3 may be tried beside TCP.
  var allowsAlternatives: Bool { allowsSharing }

  /// Whether connections to one lead to the other as well.
  func leads(to other: Destination) -> Bool { origin == other.origin && route == other.route && traffic == other.traffic }
}

/// Which connection a load needs.
package enum ConnectionNeed: Sendable {
  /// Any that leads to its origin.
  case any
  /// One that no other load has used.
  case fresh
}
