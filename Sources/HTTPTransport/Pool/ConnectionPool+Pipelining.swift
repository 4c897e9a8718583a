import LoadingModel
import ProtocolRules

// Requests that follow others on connections of HTTP/1.1: only where a load would have to wait for one of them.

extension ConnectionPool {
  /// Origins that are remembered.
  static let unpipelinedLimit = 1024

  /// The connection on which a request may follow others, if none is free and no more may be opened.
  func followed(_ destination: Destination, _ takes: PeerAcceptance) -> HTTP1Connection? {
    guard machine.isFull(destination), allowsPipelining(destination) else { return nil }
    return connections.values
      .filter { $0.destination == destination && takes.contains($0.peerAcceptance) && $0.takesFollower }
      .min { $0.followers.sent.count + $0.followers.reserved < $1.followers.sent.count + $1.followers.reserved }
  }

  /// A proxy that forwards is one more server that may mix up what it does.
  private func allowsPipelining(_ destination: Destination) -> Bool {
    if case .forward = destination.route { return false }
    return !unpipelined.contains(destination.origin)
  }

  package func connectionTakesFollowers(_ connection: HTTP1Connection) {
    let destination = connection.destination
    guard hasWaiters, connection.takesFollower, allowsPipelining(destination) else { return }
    // In order: one that can't follow holds up those behind it, as it would anyhow.
    while connection.takesFollower, let id = machine.next(destination), waiters[id]?.context.terms.mayBePipelined == true,
      machine.served(destination, id, for: connection.peerAcceptance)
    {
      resume(id, with: .success(.single(connection)))
    }
  }

  package func pipelineBroke(_ connection: HTTP1Connection) {
    unpipelined.insert(connection.destination.origin)
  }
}
