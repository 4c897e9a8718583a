/// What peers may take. Connections beyond it are closed at once.
package struct ConnectionLimits: Sendable {
  /// Connections of all processes.
  package var links = 256
  /// Connections of one process, which mustn't keep others out.
  package var linksOfProcess = 32
  /// What they hold together, in bytes.
  package var bytes = LinkBudget.standard

  package init() {}
}
