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
    for connection in singleConnections where connection.facts.isLost(with: addresses) { connection.losePath() }
    for connection in shared.values where connection.facts.isLost(with: addresses) { connection.losePath() }
  }
}

extension StreamConversation {
  /// Ends if it talks over a connection, of which `facts` tells, from one of these addresses.
  package func vanished(_ addresses: Set<String>, _ facts: ConnectionFacts?) {
    guard isOpen, facts?.isLost(with: addresses) == true else { return }
    failed(LoadError(.networkConnectionLost, .body, PathLoss.message))
  }
}

extension ConnectionFacts {
  fileprivate func isLost(with addresses: Set<String>) -> Bool { !isMultipath && localAddress.map(addresses.contains) ?? false }
}
