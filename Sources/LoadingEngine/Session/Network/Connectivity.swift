import HTTPTransport
import LoadingModel
import ProtocolRules

/// The conditions between a load and its connection: networks it may not use, and the wait for one that it may (`waitsForConnectivity`).
///
/// Nothing is asked of the system as long as any network will do and connections come to be.
struct Connectivity {
  let session: LoadSession
  let load: Load
  let access: NetworkAccess
  /// Whether no network is needed.
  private let isLocal: Bool

  init(_ session: LoadSession, _ request: LoadRequest, _ load: Load) {
    self.session = session
    self.load = load
    isLocal = session.settings.dialing.socketPath != nil || request.target?.origin.isUnixSocket == true
    access = isLocal ? .all : NetworkAccessRules.access(of: request, session: session.settings.networkAccess)
  }

  /// Whether any network will do, and is there or not.
  var isUnrestricted: Bool { access == .all && (isLocal || !session.settings.waitsForConnectivity) }

  private var context: LoadContext { load.context }

  private var network: any NetworkObserver { session.settings.network }

  /// Seconds until a waiting load tries again without news of the networks, each time longer: a router that doesn't answer yet, and name
  /// unknown servers, are no news.
  private static let pauses = [1.0, 2, 4, 8, 16, 30]

  /// The connection that `lease` gets, over a network that the load may use. Waits for one if the session does so: as long as it takes,
  /// within the time for the whole resource.
  ///
  /// - Parameters:
  ///   - isKept: Whether a connection had been there before.
  ///   - leave: Sees to it that the next lease isn't of such a one.
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
        // It uses a network that was there before; a new one may use another. While others use it there is one for this load alone.
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
      // Listens from here on: at the first failure it tries once more, for what may have changed before.
      change = NetworkChange(network)
    }
  }

  /// Whether it is for want of a network that the load has no connection. While networks come up, their routers and name servers are late.
  private func isOffline(_ failure: LoadError, _ waits: Int) -> Bool {
    if failure.kind == .notConnectedToInternet { return true }
    // There may be another route past a proxy.
    guard failure.proxy == nil else { return false }
    return TransportErrors.isHostAway(failure) || waits > 0 && failure.kind == .dnsLookupFailed
  }

  /// The networks, if they matter to this load: one of them at least is open to it.
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

  /// The networks now. NetworkManager may take its time, and the load may be cancelled meanwhile.
  private func networks() async throws(LoadError) -> NetworkConditions {
    try await AppWait<NetworkConditions>.disk(context) { [network] in await network.conditions() }
  }

  /// A name that can't be looked up without a network says nothing about the name, and nor does one that no name server answers for while
  /// there is no way out; nor does the want of an address about the server.
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
  /// What is known of the network that has this address.
  func traits(of address: String?) -> NetworkAccess {
    address.flatMap { settings.network.known?.interface(of: $0) }.map(NetworkAccessRules.traits) ?? []
  }

  /// Throws where request or session want the host's addresses validated, which their resolver can't do.
  func refuseUnvalidated(_ origin: Origin, over route: Route, _ request: LoadRequest) throws(LoadError) {
    guard request.requiresDNSSECValidation || settings.requiresDNSSECValidation else { return }
    // What a proxy looks up isn't known.
    if route == .direct, settings.dialing.needsNoValidation(origin) { return }
    if let refusal = LookUpRules.refusal(of: origin.host, requiresValidation: true) { throw refusal }
  }
}
