extension ConnectionPool {
  /// What is connected, or about to be, from addresses that this machine has no more is given up: requests end as on a lost connection.
  ///
  /// A connection over several paths (Multipath TCP) outlives one of them, and one of HTTP/3 goes over to another.
  package func vanished(_ addresses: Set<String>) {
    assert(executor.eventLoop.inEventLoop)
    guard !addresses.isEmpty else { return }
    for attempt in attempts.values { attempt.vanished(addresses) }
    for connection in singleConnections where connection.facts.isLost(with: addresses) { connection.losePath() }
    for connection in shared.values { connection.pathsVanished(addresses) }
  }
}
