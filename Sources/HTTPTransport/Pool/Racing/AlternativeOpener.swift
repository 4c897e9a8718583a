import LoadingModel
import ProtocolRules

/// Opens HTTP/3 connections. The session has none if the package was built without the trait HTTP3.
package protocol AlternativeOpener: AnyObject, Sendable {
  /// Opens a connection that is ready for its first exchange: its handshake is complete (or early data is being sent), and its server is trusted for
  /// `attempt.origin`.
  ///
  /// Questions to the app, timings and early ends are those of `attempt`, as over TCP. The attempt fails after some seconds if the server doesn't
  /// answer.
  func open(
    _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, owner: any AttemptOwner
  ) async throws(LoadError) -> any MultiplexedConnection
  /// Forgets what servers have sent for later connections: TLS tickets, address validation tokens and transport parameters.
  func forget()
  /// Keys for Encrypted Client Hello are taken from `services` from now on.
  func follow(_ services: any ServicePlaces)
}

extension AlternativeOpener {
  package func forget() {}
  package func follow(_ services: any ServicePlaces) {}
}
