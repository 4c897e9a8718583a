import HTTPTransport
import LoadingModel
import ProtocolRules

/// What becomes of a WebSocket on a stream of HTTP/2 or HTTP/3 (RFC 8441, RFC 9220): where that doesn't do, an upgrade of HTTP/1.1 is tried.
enum WebSocketStreams {
  /// Servers that take no WebSocket on a stream after all: RFC 8441, 4, names 501 for a protocol that isn't supported, and what knows
  /// nothing of CONNECT says 405.
  static func check(_ head: ResponseHead, _ connection: HTTPConnection, _ context: LoadContext) throws(LoadError) {
    guard case .webSocket = context.terms.use, case .shared = connection, head.status == 501 || head.status == 405 else { return }
    var error = LoadError(
      .badServerResponse, .head, "the server opens no WebSocket over \(connection.protocolName): it answered with status \(head.status)")
    error.resendReason = .needsHTTP1
    throw error
  }

  /// What becomes of an error: a stream that the server has reset, on a connection that lives on, leaves HTTP/1.1 to be tried.
  static func refusal(of connection: HTTPConnection, _ context: LoadContext, _ error: LoadError) -> LoadError {
    guard case .webSocket = context.terms.use, context.failure == nil, case .shared(let shared) = connection, shared.isOpen,
      error.phase == .head,
      error.kind == .networkConnectionLost
    else { return error }
    var error = error
    error.resendReason = .needsHTTP1
    return error
  }
}

extension HTTPConnection {
  /// How a WebSocket is opened on it.
  var webSocketOpening: WebSocketHandshake.Opening {
    switch self {
    case .single: .upgrade
    case .shared: .extendedConnect
    }
  }
}

extension OutgoingRequest {
  /// The request as an extended CONNECT for a WebSocket (RFC 8441, 4).
  var openingTunnel: OutgoingRequest {
    var tunnel = OutgoingRequest(method: "CONNECT", target: target, headers: headers, isChunked: false, closesAfter: false)
    tunnel.connectProtocol = "websocket"
    return tunnel
  }
}
