import LoadingModel

/// Which interfaces a load may use, by `allowsCellularAccess`, `allowsExpensiveNetworkAccess` and `allowsConstrainedNetworkAccess`.
package enum NetworkAccessRules {
  /// The kinds of network that a request may use in its session. A request can't allow cellular networks that its session forbids; for expensive
  /// and constrained ones a setting of the request overrides the session's in both directions, as Apple documents.
  package static func access(of request: LoadRequest, session: NetworkAccess) -> NetworkAccess {
    if request.leavesNetworkToSession { return session }
    let fields = request.fields
    var access = session
    if !fields.allowsCellularAccess { access.remove(.cellular) }
    if fields.ownAccess.contains(.expensive) { access.set(.expensive, to: fields.allowsExpensiveNetworkAccess) }
    if fields.ownAccess.contains(.constrained) { access.set(.constrained, to: fields.allowsConstrainedNetworkAccess) }
    return access
  }

  /// The reason why a load with this access may not use `interface`; nil if it may.
  package static func obstacle(
    on interface: NetworkConditions.Interface, to access: NetworkAccess
  ) -> LoadError.NetworkObstacle? {
    let forbidden = traits(of: interface).subtracting(access)
    if forbidden.contains(.cellular) { return .cellular }
    if forbidden.contains(.expensive) { return .expensive }
    return forbidden.contains(.constrained) ? .constrained : nil
  }

  /// The properties of an interface for which loads may be forbidden to use it.
  package static func traits(of interface: NetworkConditions.Interface) -> NetworkAccess {
    var traits: NetworkAccess = []
    // A cellular network counts as expensive even if the system doesn't say that it is metered.
    if interface.medium == .cellular { traits = [.cellular, .expensive] }
    if interface.metering != .unmetered { traits.insert(.expensive) }
    if interface.metering == .declared { traits.insert(.constrained) }
    return traits
  }

  /// The reason why a load with this access can't connect: no interface with a default route is allowed to it; nil if one is. If there is no
  /// default route, nil as well: hosts on the local network may still be reached, and the connection attempt decides.
  package static func obstacle(in conditions: NetworkConditions, to access: NetworkAccess) -> LoadError.NetworkObstacle? {
    let ways = conditions.ways
    guard let first = ways.first else { return nil }
    let obstacles = ways.map { obstacle(on: $0, to: access) }
    return obstacles.contains(nil) ? nil : obstacle(on: first, to: access)
  }
}

extension NetworkAccess {
  fileprivate mutating func set(_ kind: NetworkAccess, to isAllowed: Bool) {
    if isAllowed { insert(kind) } else { remove(kind) }
  }
}

extension LoadError {
  /// The error of a load that isn't allowed to use any of the networks there are.
  package static func obstructed(by obstacle: NetworkObstacle) -> LoadError {
    let (network, setting) =
      switch obstacle {
      case .cellular: ("cellular", "allowsCellularAccess")
      case .expensive: ("expensive", "allowsExpensiveNetworkAccess")
      case .constrained: ("constrained", "allowsConstrainedNetworkAccess")
      }
    var error = LoadError(
      .notConnectedToInternet, .connect,
      "the only way to the server is a network that the system calls \(network), and \(setting) is false for this load")
    error.networkObstacle = obstacle
    return error
  }
}
