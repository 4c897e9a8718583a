import LoadingModel

// Handling changes of the machine's networks.

extension ConnectionPool {
  /// The local addresses `addresses` have left the machine: attempts and connections that use them are given up, and their requests fail as on a lost
  /// connection.
  ///
  /// A connection with Multipath TCP outlives the loss of one path, and one of HTTP/3 migrates to another.
  package func vanished(_ addresses: Set<String>) {
    assert(executor.eventLoop.inEventLoop)
    guard !addresses.isEmpty else { return }
    for attempt in attempts.all { attempt.vanished(addresses) }
    for connection in connections.allSingle where connection.facts.isLost(with: addresses) { connection.losePath() }
    for connection in connections.shared.values { connection.pathsVanished(addresses) }
  }

  /// The machine's networks have changed: the history of HTTP/3 attempts may not hold any more, and HTTP/3 connections may find a better path.
  package func networkChanged() {
    assert(executor.eventLoop.inEventLoop)
    alternatives.history.networkChanged()
    for connection in connections.shared.values { connection.networkChanged() }
  }

  package func connectionMoved(_ connection: any MultiplexedConnection) { moved?(connection) }
}
