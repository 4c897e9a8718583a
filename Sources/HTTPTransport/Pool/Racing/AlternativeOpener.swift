import LoadingModel
import ProtocolRules

/// Opens connections of HTTP/3. In a build without the trait there is none.
package protocol AlternativeOpener: AnyObject, Sendable {
  /// Returns a connection that is ready for its first exchange: its handshake is over, and its server is trusted for `attempt.origin`.
  ///
  /// Questions, timings and the end from outside are as for attempts over TCP (`ConnectAttempt`). A server that doesn't answer makes it
  /// fail after some seconds.
  func open(
    _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, owner: any AttemptOwner
  ) async throws(LoadError) -> any MultiplexedConnection
  /// Forgets what servers have given for later connections: tickets and tokens.
  func forget()
  /// From now on the keys for ClientHellos are those that `services` knows.
  func follow(_ services: any ServicePlaces)
}

extension AlternativeOpener {
  package func forget() {}
  package func follow(_ services: any ServicePlaces) {}
}
