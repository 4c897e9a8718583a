/// The owner of HTTP/1.1 connections: told when one becomes idle, changes its use or is closed.
///
/// All calls on the event loop.
package protocol HTTP1ConnectionOwner: AnyObject {
  func connectionBecameIdle(_ connection: HTTP1Connection)
  /// The connection has switched to another protocol (101) for one load: it won't carry further HTTP exchanges.
  func connectionSwitched(_ connection: HTTP1Connection)
  /// The connection accepts pipelined requests now, as far as `takesFollower` allows.
  func connectionTakesFollowers(_ connection: HTTP1Connection)
  /// The connection was closed while pipelined requests were unanswered: the server may not support pipelining.
  func pipelineBroke(_ connection: HTTP1Connection)
  func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool)
}
