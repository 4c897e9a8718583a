import HTTPTransport
import LoadingModel
import ProtocolRules

// Connections that an authentication belongs to: a load with such an authentication takes them before any other.

extension ExchangeStage {
  /// A connection that the load's authentication gives it a right to; nil if it can do with another one.
  func leaseBound(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) throws(LoadError) -> HTTP1Connection? {
    guard let authentication = context.terms.authentication else { return nil }
    if let connection = session.pool.leaseBound(authentication, session.pool.destination(origin, context), evaluator: client.peerEvaluator)
    {
      context.terms.boundConnection = connection.id
      return connection
    }
    switch authentication.holder {
    case .credential: context.terms.boundConnection = nil
    case .handshake:
      // The first message may use any connection; the others belong to the one it used.
      guard context.terms.boundConnection == nil else {
        throw LoadError(.networkConnectionLost, .send, "the server closed the connection in the middle of an authentication")
      }
    }
    return nil
  }

  /// The first message of an authentication binds the connection to it.
  func bind(_ connection: HTTP1Connection, _ context: LoadContext) {
    guard let authentication = context.terms.authentication, authentication.holder == .handshake else { return }
    session.pool.mark(connection, authentication)
    context.terms.boundConnection = connection.id
  }
}

extension ExchangeStage {
  /// A request has failed that was the first on its connection of HTTP/3: where that says something of the way to the server, others take
  /// TCP for a while.
  func noteFailure(of connection: HTTPConnection, _ origin: Origin, _ context: LoadContext, _ error: LoadError) {
    guard case .shared(let shared) = connection, shared.protocolName == "h3", shared.exchangeCount == 1 else { return }
    let hasTimedOut = context.failure?.kind == .timedOut && context.record.responseStart == nil
    guard hasTimedOut || context.failure == nil && !shared.isOpen else { return }
    switch error.resendReason {
    case .refused, .outrun, .pathLost, .needsHTTP1, .unanswered: break
    case .notConnected, .staleConnection, .cutOff, nil: session.pool.alternativeFailed(origin, context)
    }
  }
}

// A WebSocket is a stream of HTTP/2 or HTTP/3 where a connection is there whose server takes it (RFC 8441, RFC 9220), and an upgrade of HTTP/1.1 everywhere else.

extension ExchangeStage {
  /// A stream for the WebSocket that the load opens; nil if it needs a connection of HTTP/1.1.
  func leaseTunnel(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) throws(LoadError) -> (any MultiplexedConnection)? {
    guard case .webSocket = context.terms.use else { return nil }
    try context.checkpoint()
    return session.pool.leaseTunnel(origin, context, evaluator: client.peerEvaluator)
  }

  /// Servers that take no WebSocket on a stream after all: RFC 8441, 4, names 501 for a protocol that isn't supported, and what knows
  /// nothing of CONNECT says 405.
  func checkTunnel(_ head: ResponseHead, _ connection: HTTPConnection, _ context: LoadContext) throws(LoadError) {
    guard case .webSocket = context.terms.use, case .shared = connection, head.status == 501 || head.status == 405 else { return }
    var error = LoadError(
      .badServerResponse, .head, "the server opens no WebSocket over \(connection.protocolName): it answered with status \(head.status)")
    error.resendReason = .needsHTTP1
    throw error
  }

  /// What becomes of an error: a stream that the server has reset, on a connection that lives on, leaves HTTP/1.1 to be tried.
  func refusal(of connection: HTTPConnection, _ context: LoadContext, _ error: LoadError) -> LoadError {
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
