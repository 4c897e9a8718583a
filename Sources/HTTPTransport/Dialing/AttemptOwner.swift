/// The owner of attempts to open connections, and of the connections that they bring.
///
/// All calls on the event loop.
package protocol AttemptOwner: HTTP1ConnectionOwner, MultiplexedConnectionOwner {
  /// What the attempt's handshake can ask the app of the load it is made for; nil if there is no delegate to ask.
  func questions(for attempt: ConnectAttempt) -> PeerChallengeHandler?
  /// What the attempt's tunnel is asked for with; nil if no load waits for it.
  func routeAttempt(for attempt: ConnectAttempt) -> RouteAttempt?
  /// No connection is kept any more, and none that isn't ready is waited for.
  var isDraining: Bool { get }
}
