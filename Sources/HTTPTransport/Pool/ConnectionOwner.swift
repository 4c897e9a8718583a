/// The owner of connections: told when one is free or closed.
package protocol ConnectionOwner: MultiplexedConnectionOwner {
  /// What the attempt's handshake can ask the app of the load it is made for; nil if there is no delegate to ask.
  func questions(for attempt: ConnectAttempt) -> PeerChallengeHandler?
  /// What the attempt's tunnel is asked for with; nil if no load waits for it.
  func routeAttempt(for attempt: ConnectAttempt) -> RouteAttempt?
  /// No connection is kept any more, and none that isn't ready is waited for.
  var isDraining: Bool { get }
  func connectionBecameIdle(_ connection: HTTP1Connection)
  /// From now on it carries another protocol, for one load: no exchange will follow.
  func connectionSwitched(_ connection: HTTP1Connection)
  /// More requests may be sent on it before those under way are answered, as far as `takesFollower` allows.
  func connectionTakesFollowers(_ connection: HTTP1Connection)
  /// It has ended with requests unanswered that had followed others.
  func pipelineBroke(_ connection: HTTP1Connection)
  func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool)
}
