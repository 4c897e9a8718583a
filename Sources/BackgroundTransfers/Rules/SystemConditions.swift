/// What the system says about itself; nil where it doesn't say.
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
}
