import LoadingModel

/// Which versions of HTTP a session speaks.
package enum HTTPVersions: Sendable {
  case http1
  /// HTTP/2 or HTTP/1.1, as the server chooses by ALPN.
  case http1AndHTTP2
  /// As `http1AndHTTP2`, and HTTP/3 where an origin is known to be served over it and the package was built with it.
  case all
  /// HTTP/3 alone: no connection over TCP is made for HTTP.
  case http3Only

  /// What is expected of a destination's servers before the first connection.
  func expected(of destination: Destination) -> PoolMachine<Destination>.NegotiatedProtocol {
    switch self {
    case .http1: .single
    case .http1AndHTTP2, .all, .http3Only: destination.allowsHTTP2 ? .unknown : .single
    }
  }

  /// With `http3Only`, throws for destinations that HTTP/3 can't be used for.
  func check(_ destination: Destination, _ plan: DialPlan) throws(LoadError) {
    guard case .http3Only = self else { return }
    let obstacle: String
    if destination.origin.scheme != "https" {
      obstacle = "it isn't for URLs of the scheme \(destination.origin.scheme)"
    } else if plan.socketPath(for: destination.origin) != nil {
      obstacle = "Unix sockets don't carry it"
    } else if destination.route != .direct {
      obstacle = "the proxy that is set doesn't carry it"
    } else if case .http1 = destination.offer {
      obstacle = "the server, or the authentication that it asks for, needs HTTP/1.1"
    } else {
      return
    }
    throw LoadError(.cannotConnectToHost, .connect, "only HTTP/3 is allowed here, and \(obstacle)")
  }
}
