import LoadingModel
import ProtocolRules

/// What a connection leads to, by which route, and what may be negotiated on it: connections serve loads of the same destination.
package struct Destination: Sendable, Hashable {
  /// What the client offers to negotiate on a connection.
  package enum Offer: Sendable, Hashable {
    /// HTTP/2 or HTTP/1.1, as the server chooses in the handshake; without TLS, HTTP/1.1.
    case any
    /// As `any`, for a connection that serves a single load, the one with this number: its request was misdirected before (421; RFC 9110, 15.5.20).
    case own(Int)
    /// HTTP/1.1 alone: for authentication bound to connections (NTLM, Negotiate), for WebSockets, and for servers that asked for HTTP/1.1.
    case http1
  }

  package let origin: Origin
  package let route: Route
  package let offer: Offer
  /// How the connection's packets are marked (type of service).
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

  /// Whether the connection to the proxy is encrypted by TLS, so that all bytes to the origin pass through it.
  var isWrapped: Bool { route.proxy?.kind == .https }

  /// Whether HTTP/2 is offered in the TLS handshake. Never without TLS, and not where HTTP/1.1 is needed, as for a WebSocket's upgrade (RFC 6455).
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

  /// Whether its connections may also serve other origins that their certificates cover, and those of other origins serve it. Never through a
  /// proxy: the address that the proxy connects to is unknown.
  var allowsSharing: Bool {
    switch offer {
    case .any: origin.scheme == "https" && route == .direct && !origin.isUnixSocket
    case .own, .http1: false
    }
  }

  /// Whether HTTP/3 may be tried beside TCP.
  var allowsAlternatives: Bool { allowsSharing }

  /// Whether both have the same origin, route and packet marking; they may differ in `offer`.
  func leads(to other: Destination) -> Bool { origin == other.origin && route == other.route && traffic == other.traffic }
}

/// Whether a load can use a connection that other loads have used.
package enum ConnectionNeed: Sendable {
  /// Any connection that leads to the load's origin.
  case any
  /// A connection that no other load has used.
  case fresh
}
