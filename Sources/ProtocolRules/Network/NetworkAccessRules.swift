import LoadingModel

/// `allowsCellularAccess` and its like against the interfaces there are.
package enum NetworkAccessRules {
  /// What the request may use in its session. A session that forbids cellular networks can't be widened by a request; what the request
  /// itself says about expensive and constrained ones overrides the session's settings in both directions, as Apple documents it.
  package static func access(of request: LoadRequest, session: NetworkAccess) -> NetworkAccess {
    if request.leavesNetworkToSession { return session }
    let fields = request.fields
    var access = session
    if !fields.allowsCellularAccess { access.remove(.cellular) }
    if fields.ownAccess.contains(.expensive) { access.set(.expensive, to: fields.allowsExpensiveNetworkAccess) }
    if fields.ownAccess.contains(.constrained) { access.set(.constrained, to: fields.allowsConstrainedNetworkAccess) }
    return access
  }

  /// Why `interface` may not be used; nil if it may.
  package static func obstacle(
    on interface: NetworkConditions.Interface, to access: NetworkAccess
  ) -> LoadError.NetworkObstacle? {
    let forbidden = traits(of: interface).subtracting(access)
    if forbidden.contains(.cellular) { return .cellular }
    if forbidden.contains(.expensive) { return .expensive }
    return forbidden.contains(.constrained) ? .constrained : nil
  }

  /// What an interface is that loads may be forbidden to use.
  package static func traits(of interface: NetworkConditions.Interface) -> NetworkAccess {
    var traits: NetworkAccess = []
    // A cellular network costs by volume wherever it isn't said otherwise.
    if interface.medium == .cellular { traits = [.cellular, .expensive] }
    if interface.metering != .unmetered { traits.insert(.expensive) }
    if interface.metering == .declared { traits.insert(.constrained) }
    return traits
  }

  /// Before a connection is opened: the obstacle, if no way out is open to this load. Where the system has no default route, neighbours may
  /// still be reached: the connection will show.
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
  /// A load for which no network that it may use is there.
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
