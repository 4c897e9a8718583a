import LoadingModel
import ProtocolRules

/// The requirements of one load on its connection. The stages above the exchange set them, the connection pool reads them.
///
/// Part of the load's context; confined to its event loop.
package struct ConnectionTerms {
  /// Whether the load only makes an HTTP exchange on the connection, or also switches its protocol or takes it over.
  package var use = ConnectionUse.exchange
  /// Whether any connection will do, or only one that no load has used. Set by the retry stage, and by the exchange stage where idle ones are of no
  /// use.
  package var need = ConnectionNeed.any
  /// Whether the request must not be sent before the TLS handshake is complete (as early data, RFC 8446, 2.3). Set by the retry stage.
  package var avoidsEarlyData = false
  /// How the load gets through a proxy; nil without one. The proxy stage's.
  package var routeAttempt: RouteAttempt?
  /// The connection-bound authentication (NTLM, Negotiate) whose connections the load may use beside unauthenticated ones. Set by the authentication
  /// and proxy stages.
  package var authentication: BoundAuthentication?
  /// The pool's number of the connection that the load used last under `authentication`, over which a handshake must go on; nil if it used none.
  package var boundConnection: Int?
  /// The marking of the connection's packets (type of service): the load only uses connections of the same marking.
  package var traffic = TrafficClass.standard
  /// Whether the request may be pipelined on HTTP/1.1: sent while earlier ones wait for their responses. Set by the exchange stage.
  package var mayBePipelined = false
  /// Whether the request asks to assume that its origin speaks HTTP/3 (`assumesHTTP3Capable`). Set by the exchange stage.
  package var assumesHTTP3 = false
  /// The kinds of network that the load may use. Set by the exchange stage.
  package var access = NetworkAccess.all
  /// The load's last number in the pool's waiting lines, 0 before it has waited. Set by the pool alone.
  var turn = 0

  package var route: Route { routeAttempt?.route ?? .direct }

  /// Whether the load needs an HTTP/1.1 connection of its own, because it authenticates the connection or switches its protocol. A WebSocket that
  /// can be a stream of HTTP/2 is given that before this is asked.
  package var needsOwnConnection: Bool { authentication != nil || use.switchesProtocol }
}

/// What a load does with its connection.
package enum ConnectionUse: Sendable {
  /// An ordinary HTTP exchange; the connection stays in the pool.
  case exchange
  /// As `exchange`, unless the app takes the connection when the response's head has come.
  case mayBeTaken
  /// The request asks the server to speak another protocol (RFC 9110, 7.8), after which the app may take the connection.
  case upgrade
  /// The connection, or a stream of HTTP/2, is turned into a WebSocket.
  case webSocket

  /// Whether the request asks for another protocol, so that a 101 (Switching Protocols) is a valid response to it.
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
