import HTTPTransport
import LoadingModel
import ProtocolRules

/// Gets a load its connection over a network that it may use, and lets it wait for such a network (`waitsForConnectivity`).
///
/// The system isn't asked for its networks as long as the load may use any of them and connections can be made.
struct Connectivity {
  let session: LoadSession
  let load: Load
  let access: NetworkAccess
  /// Whether the load needs no network, because it uses a Unix socket.
  private let isLocal: Bool

  init(_ session: LoadSession, _ request: LoadRequest, _ load: Load) {
    self.session = session
    self.load = load
    isLocal = session.settings.dialing.socketPath != nil || request.target?.origin.isUnixSocket == true
    access = isLocal ? .all : NetworkAccessRules.access(of: request, session: session.settings.networkAccess)
  }

  /// Whether the load may use any network and doesn't wait for one, so that the networks don't matter.
  var isUnrestricted: Bool { access == .all && (isLocal || !session.settings.waitsForConnectivity) }

  private var context: LoadContext { load.context }

  private var network: any NetworkObserver { session.settings.network }

  /// Seconds until a waiting load tries again although no change of the networks has been reported, longer each time: a router that doesn't
  /// answer yet, or name servers that aren't known yet, cause no report.
  private static let pauses = [1.0, 2, 4, 8, 16, 30]

  /// The connection that `lease` returns, over a network that the load may use. If the session waits for connectivity, waits for one, at most for
  /// the time of the whole resource.
  ///
  /// - Parameters:
  ///   - isKept: Whether a connection had been there before this load.
  ///   - leave: Makes sure that the next lease isn't one of a kept connection.
  func connection<Connection>(
    _ lease: () async throws(LoadError) -> Connection, address: (Connection) -> String?, isKept: (Connection) -> Bool = { _ in false },
    giveBack: (Connection) -> Void, leave: () -> Void = {}
  ) async throws(LoadError) -> Connection {
    var change: NetworkChange?
    var waits = 0
    var hasLeft = false
    while true {
      let failure: LoadError
      do throws(LoadError) {
        let conditions = try await openConditions()
        let connection = try await lease()
        let obstacle: LoadError.NetworkObstacle?
        do throws(LoadError) {
          obstacle = try await self.obstacle(at: address(connection), conditions)
          try context.checkpoint()
        } catch {
          giveBack(connection)
          throw error
        }
        guard let obstacle else { return connection }
        giveBack(connection)
        // A kept connection uses the network it was made over; a new one may use another. If other loads still use the kept one, this load gets a
        // connection of its own.
        if isKept(connection), !hasLeft {
          hasLeft = true
          leave()
          continue
        }
        failure = .obstructed(by: obstacle)
      } catch {
        failure = await adjusted(error)
      }
      guard session.settings.waitsForConnectivity, isOffline(failure, waits), context.failure == nil else { throw failure }
      if let change {
        load.tellOfWaiting()
        context.hasArrived()
        let isNews = failure.kind == .notConnectedToInternet
        try await change.wait(context, seconds: isNews ? nil : Connectivity.pauses[min(waits, Connectivity.pauses.count - 1)])
        waits += 1
      }
      // Changes are observed from here on. After the first failure one more attempt is made at once, because a network may have changed before.
      change = NetworkChange(network)
    }
  }

  /// Whether the load has no connection because there is no network. When networks come up, their routers and name servers may be late.
  private func isOffline(_ failure: LoadError, _ waits: Int) -> Bool {
    if failure.kind == .notConnectedToInternet { return true }
    // After a proxy's failure another route may be possible.
    guard failure.proxy == nil else { return false }
    return TransportErrors.isHostAway(failure) || waits > 0 && failure.kind == .dnsLookupFailed
  }

  /// The networks, if they matter to this load; throws if it may use none of them. nil if the load may use any.
  private func openConditions() async throws(LoadError) -> NetworkConditions? {
    guard access != .all else { return nil }
    let conditions = try await networks()
    if let obstacle = NetworkAccessRules.obstacle(in: conditions, to: access) { throw .obstructed(by: obstacle) }
    return conditions
  }

  private func obstacle(at address: String?, _ conditions: NetworkConditions?) async throws(LoadError) -> LoadError.NetworkObstacle? {
    guard let conditions, let address else { return nil }
    // A network may have come up while the connection was opened.
    var interface = conditions.interface(of: address)
    if interface == nil { interface = try await networks().interface(of: address) }
    return interface.flatMap { NetworkAccessRules.obstacle(on: $0, to: access) }
  }

  /// The networks at the moment. NetworkManager may take long to answer; the load can be cancelled meanwhile.
  private func networks() async throws(LoadError) -> NetworkConditions {
    try await AppWait<NetworkConditions>.disk(context) { [network] in await network.conditions() }
  }

  /// Turns an error into `notConnectedToInternet` if it only shows that there is no network: a name that couldn't be looked up, or a server
  /// without a route to it, while the machine has no network that leads outside.
  func adjusted(_ error: LoadError) async -> LoadError {
    let isUnnamed = error.kind == .cannotFindHost || error.proxy?.isUnknown == true
    let isUnaddressed = TransportErrors.isWithoutAddress(error)
    guard isUnnamed || isUnaddressed || error.kind == .dnsLookupFailed, context.failure == nil else { return error }
    guard let conditions = try? await networks() else { return error }
    let isOffline = isUnnamed ? !conditions.reachesOthers : conditions.ways.isEmpty
    guard isOffline || error.kind == .dnsLookupFailed && !conditions.reachesOthers else { return error }
    let want = isUnaddressed ? "there is no way to the server" : "no name can be looked up"
    var offline = LoadError(
      .notConnectedToInternet, error.phase, "this machine has no network, so \(want); connect it and try again")
    offline.posixCode = error.posixCode
    if error.resendReason == .notConnected { offline.resendReason = .notConnected }
    return offline
  }
}

extension LoadSession {
  /// A connection has migrated to another network (HTTP/3): the loads on it that may not use that one look for other connections.
  func connectionMoved(_ connection: any MultiplexedConnection) {
    guard let address = connection.facts.localAddress else { return }
    let network = settings.network
    Task(executorPreference: executor) {
      let interface = await network.conditions().interface(of: address)
      guard let interface, connection.facts.localAddress == address else { return }
      connection.losePath { NetworkAccessRules.obstacle(on: interface, to: $0.access) != nil }
    }
  }

  /// The properties of the network that has this local address: cellular, expensive, constrained. Empty if unknown.
  func traits(of address: String?) -> NetworkAccess {
    address.flatMap { settings.network.known?.interface(of: $0) }.map(NetworkAccessRules.traits) ?? []
  }

  /// Throws if the request or the session demands validated addresses (DNSSEC) for a host whose resolver can't validate.
  func refuseUnvalidated(_ origin: Origin, over route: Route, _ request: LoadRequest) throws(LoadError) {
    guard request.requiresDNSSECValidation || settings.requiresDNSSECValidation else { return }
    // Through a proxy it isn't known how names are looked up.
    if route == .direct, settings.dialing.needsNoValidation(origin) { return }
    if let refusal = LookUpRules.refusal(of: origin.host, requiresValidation: true) { throw refusal }
  }
}
