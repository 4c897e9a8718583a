import HTTPTransport
import LoadingModel
import ProtocolRules

/// Handles the refusal of a WebSocket on a stream of HTTP/2 or HTTP/3 (RFC 8441, RFC 9220): it is opened by an upgrade of HTTP/1.1 instead.
enum WebSocketStreams {
  /// Throws if the server refuses to open a WebSocket on a stream, so that HTTP/1.1 is tried: by 501, which RFC 8441, 4 names for an unsupported
  /// protocol, or by 405 from a server that doesn't know CONNECT.
  static func check(_ head: ResponseHead, _ connection: HTTPConnection, _ context: LoadContext) throws(LoadError) {
    guard case .webSocket = context.terms.use, case .shared = connection, head.status == 501 || head.status == 405 else { return }
    var error = LoadError(
      .badServerResponse, .head, "the server opens no WebSocket over \(connection.protocolName): it answered with status \(head.status)")
    error.resendReason = .needsHTTP1
    throw error
  }

  /// The error for the load; if the server has reset the WebSocket's stream while the connection lives on, it says that HTTP/1.1 is to be tried.
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
  /// How a WebSocket is opened on this connection.
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
