import LoadingModel

/// The address from which a connection was made has left the machine: nothing comes or goes over it any more.
struct PathLoss: Error {
  static let message = "this machine has lost the network address that the connection to the server was made from"

  /// For a request that hasn't been sent.
  static var beforeSending: LoadError {
    var error = LoadError(.networkConnectionLost, .send, message)
    error.unprocessed = .refused
    return error
  }
}

extension ConnectionPool {
  /// What is connected, or about to be, from addresses that this machine has no more is given up: requests end as on a lost connection.
  ///
  /// A connection over several paths (Multipath TCP) outlives one of them.
  package func vanished(_ addresses: Set<String>) {
    executor.eventLoop.assertInEventLoop()
    guard !addresses.isEmpty else { return }
    for attempt in attempts.values { attempt.vanished(addresses) }
    func isConcerned(_ facts: ConnectionFacts) -> Bool { !facts.isMultipath && facts.localAddress.map(addresses.contains) ?? false }
    for connection in singleConnections where isConcerned(connection.facts) { connection.losePath() }
    for connection in shared.values where isConcerned(connection.facts) { connection.losePath() }
  }
}
