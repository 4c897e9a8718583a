import ProtocolRules

/// What one load asks of the connection that serves it: the stages above the exchange fill it in, the pool reads it.
///
/// Part of the load's context; confined to its event loop.
package struct ConnectionTerms {
  /// What the load does with the connection beside its one exchange.
  package var use = ConnectionUse.exchange
  /// Which connection the load needs; the retry stage's, and the exchange stage's where kept connections are of no use.
  package var need = ConnectionNeed.any
  /// Whether the request waits for the server's handshake, also where it might go out as early data; the retry stage's.
  package var avoidsEarlyData = false
  /// How the load gets through a proxy; nil without one. The proxy stage's.
  package var routeAttempt: RouteAttempt?
  /// The authentication whose connections the load may use beside the others; the authentication and proxy stages'.
  package var authentication: BoundAuthentication?
  /// The connection the load used last, if `authentication` was set then.
  package var boundConnection: Int?
  /// How the packets are marked, and so which connections the load may use.
  package var traffic = TrafficClass.standard
  /// Whether the request may be one of several under way on a connection of HTTP/1.1; the exchange stage's.
  package var mayBePipelined = false
  /// Whether the request says that its origin speaks HTTP/3; the exchange stage's.
  package var assumesHTTP3 = false
  /// The load's last number in the pool's waiting lines; the pool's.
  var turn = 0

  package var route: Route { routeAttempt?.route ?? .direct }

  /// Whether the load must have a connection of HTTP/1.1 of its own: what it does changes or marks the whole connection. Where a
  /// WebSocket can be a stream of HTTP/2, it has been given one before.
  package var needsOwnConnection: Bool { authentication != nil || use.switchesProtocol }
}

/// What a load does with its connection.
package enum ConnectionUse: Sendable {
  /// One exchange of HTTP; the connection stays the pool's.
  case exchange
  /// As `exchange`, unless the app takes the connection when the response's head has come.
  case mayBeTaken
  /// The request asks the server to speak another protocol (RFC 9110, 7.8), after which the app may take the connection.
  case upgrade
  /// The connection, or a stream of HTTP/2, becomes a WebSocket's.
  case webSocket

  /// Whether a 101 is an answer to the request.
  package var switchesProtocol: Bool {
    switch self {
    case .upgrade, .webSocket: true
    case .exchange, .mayBeTaken: false
    }
  }

  /// Whether the bytes behind a response's head wait until the app has said whether it takes the connection.
  package var holdsBody: Bool {
    switch self {
    case .mayBeTaken, .upgrade: true
    case .exchange, .webSocket: false
    }
  }
}
