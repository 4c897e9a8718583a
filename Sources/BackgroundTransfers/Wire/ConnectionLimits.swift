/// Limits for the connections of the daemon. Connections above the limits are closed at once.
package struct ConnectionLimits: Sendable {
  /// Maximum number of connections of all processes together.
  package var links = 256
  /// Maximum number of connections of one process, so that one process can't keep others out.
  package var linksOfProcess = 32
  /// Maximum number of bytes that all connections together hold in memory.
  package var bytes = LinkBudget.standard

  package init() {}
}
