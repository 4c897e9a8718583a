/// The machine's state that discretionary transfers depend on; nil for what the system doesn't tell.
package struct SystemConditions: Sendable, Equatable {
  package var isOnMains: Bool?
  package var isMetered: Bool?
  package var isBusy: Bool?
  package var hasNetwork: Bool?

  package init(isOnMains: Bool? = nil, isMetered: Bool? = nil, isBusy: Bool? = nil, hasNetwork: Bool? = nil) {
    self.isOnMains = isOnMains
    self.isMetered = isMetered
    self.isBusy = isBusy
    self.hasNetwork = hasNetwork
  }

  /// Whether more programs want to run than there are processors.
  /// - Parameter load: The load average of the last minute.
  package static func isBusy(load: Double, processors: Int) -> Bool { load > Double(processors) }
}
