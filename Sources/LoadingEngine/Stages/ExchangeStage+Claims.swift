import HTTPTransport
import LoadingModel

// Connections that an authentication belongs to: a load with a claim takes them before any other.

extension ExchangeStage {
  /// A connection that the load's claim gives it a right to; nil if it can do with another one.
  func leaseClaimed(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) throws(LoadError) -> HTTP1Connection? {
    guard let claim = context.claim else { return nil }
    if let connection = session.pool.leaseClaimed(claim, session.pool.destination(origin, context), judge: client.peerJudge) {
      context.claimedConnection = connection.id
      return connection
    }
    switch claim.holder {
    case .credential: context.claimedConnection = nil
    case .conversation:
      // The first leg may go over any connection; the others belong to the one it went over.
      guard context.claimedConnection == nil else {
        throw LoadError(.networkConnectionLost, .send, "the server closed the connection in the middle of an authentication")
      }
    }
    return nil
  }

  /// A conversation's first leg makes the connection its own.
  func claim(_ connection: HTTP1Connection, _ context: LoadContext) {
    guard let claim = context.claim, claim.holder == .conversation else { return }
    session.pool.mark(connection, claim)
    context.claimedConnection = connection.id
  }
}
