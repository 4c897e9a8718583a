import LoadingModel

/// Where HTTP/3 for an origin may be tried.
package struct AlternativeEndpoint: Sendable, Hashable {
  /// The name whose addresses are looked up, or an address without brackets.
  package var host: String
  package var port: Int
  /// Addresses that the DNS has given along with the name (RFC 9460, 7.3), to be tried until the look-up has answered.
  package var addressHints: [String]

  package init(host: String, port: Int, addressHints: [String] = []) {
    self.host = host
    self.port = port
    self.addressHints = addressHints
  }
}

/// Opens connections of HTTP/3. In a build without the trait there is none.
package protocol AlternativeOpener: AnyObject, Sendable {
  /// Returns a connection that is ready for its first exchange: its handshake is over, and its server is trusted for `attempt.origin`.
  ///
  /// Questions, timings and the end from outside are as for attempts over TCP (`ConnectAttempt`). A server that doesn't answer makes it
  /// fail after some seconds.
  func open(
    _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, owner: any ConnectionOwner & MultiplexedConnectionOwner
  ) async throws(LoadError) -> any MultiplexedConnection
  /// Forgets what servers have given for later connections: tickets and tokens.
  func forget()
}

extension AlternativeOpener {
  package func forget() {}
}
