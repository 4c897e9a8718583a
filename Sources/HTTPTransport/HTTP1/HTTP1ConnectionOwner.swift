/// The owner of connections of HTTP/1.1: told when one is free or closed.
///
/// All calls on the event loop.
package protocol HTTP1ConnectionOwner: AnyObject {
  func connectionBecameIdle(_ connection: HTTP1Connection)
  /// From now on it carries another protocol, for one load: no exchange will follow.
  func connectionSwitched(_ connection: HTTP1Connection)
  /// More requests may be sent on it before those under way are answered, as far as `takesFollower` allows.
  func connectionTakesFollowers(_ connection: HTTP1Connection)
  /// It has ended with requests unanswered that had followed others.
  func pipelineBroke(_ connection: HTTP1Connection)
  func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool)
}
