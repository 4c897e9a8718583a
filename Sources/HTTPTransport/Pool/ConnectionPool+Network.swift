import LoadingModel

// What becomes of connections when the machine's networks change.

extension ConnectionPool {
  /// What is connected, or about to be, from addresses that this machine has no more is given up: requests end as on a lost connection.
  ///
  /// A connection over several paths (Multipath TCP) outlives one of them, and one of HTTP/3 goes over to another.
  package func vanished(_ addresses: Set<String>) {
    assert(executor.eventLoop.inEventLoop)
    guard !addresses.isEmpty else { return }
    for attempt in attempts.all { attempt.vanished(addresses) }
    for connection in connections.allSingle where connection.facts.isLost(with: addresses) { connection.losePath() }
    for connection in connections.shared.values { connection.pathsVanished(addresses) }
  }

  /// The machine's networks have changed: what was learned about HTTP/3 may no longer hold.
  package func networkChanged() {
    assert(executor.eventLoop.inEventLoop)
    alternatives.history.networkChanged()
    for connection in connections.shared.values { connection.networkChanged() }
  }
}
