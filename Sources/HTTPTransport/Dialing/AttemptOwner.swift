/// The owner of attempts to open connections, and of the connections that they bring.
///
/// All calls on the event loop.
package protocol AttemptOwner: HTTP1ConnectionOwner, MultiplexedConnectionOwner {
  /// The handler that asks the app about trust and client certificates in the attempt's handshake; nil if no waiting load has a delegate to ask.
  func questions(for attempt: ConnectAttempt) -> PeerChallengeHandler?
  /// The proxy credentials for opening the attempt's tunnel, from the load that waits for it; nil if no load does.
  func routeAttempt(for attempt: ConnectAttempt) -> RouteAttempt?
  /// Whether the owner is shutting down: idle connections aren't kept, and unfinished attempts are given up.
  var isDraining: Bool { get }
}
