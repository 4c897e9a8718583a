import HTTPTransport
import LoadingModel

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
