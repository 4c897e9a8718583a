import HTTPPolicy
import HTTPTransport
import LoadingModel

/// What stands between a load and its connection: networks it may not use, and the wait for one that it may (`waitsForConnectivity`).
///
/// Nothing is asked of the system as long as any network will do and connections come to be.
struct Connectivity {
  let session: LoadSession
  let context: LoadContext
  let client: any LoadClient
  let access: NetworkAccess

  init(_ session: LoadSession, _ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) {
    self.session = session
    self.context = context
    self.client = client
    access = NetworkAccessRules.access(of: request, session: session.settings.networkAccess)
  }

  /// Whether any network will do, and is there or not.
  var isUnrestricted: Bool { access == .all && !session.settings.waitsForConnectivity }

  private var network: any NetworkObserver { session.settings.network }

  /// The connection that `lease` gets, over a network that the load may use. Waits for one if the session does so: as long as it takes,
  /// within the time for the whole resource.
  func connection<Connection>(
    _ lease: () async throws(LoadError) -> Connection, address: (Connection) -> String?, giveBack: (Connection) -> Void
  ) async throws(LoadError) -> Connection {
    var change: NetworkChange?
    while true {
      let failure: LoadError
      do throws(LoadError) {
        let conditions = try await openConditions()
        let connection = try await lease()
        let obstacle = await obstacle(at: address(connection), conditions)
        if let cause = context.failure {
          giveBack(connection)
          throw cause
        }
        guard let obstacle else { return connection }
        giveBack(connection)
        failure = .obstructed(by: obstacle)
      } catch {
        failure = await judged(error)
      }
      guard session.settings.waitsForConnectivity, failure.kind == .notConnectedToInternet, context.failure == nil else { throw failure }
      if let change {
        if !context.hasToldOfWaiting { client.isWaitingForConnectivity() }
        context.hasToldOfWaiting = true
        context.hasArrived()
        try await change.wait(context)
      }
      // Listens from here on: at the first failure it tries once more, for what may have changed before.
      change = NetworkChange(network)
    }
  }

  /// The networks, if they matter to this load: one of them at least is open to it.
  private func openConditions() async throws(LoadError) -> NetworkConditions? {
    guard access != .all else { return nil }
    let conditions = await network.conditions()
    if let obstacle = NetworkAccessRules.obstacle(in: conditions, to: access) { throw .obstructed(by: obstacle) }
    return conditions
  }

  private func obstacle(at address: String?, _ conditions: NetworkConditions?) async -> LoadError.NetworkObstacle? {
    guard let conditions, let address else { return nil }
    // A network may have come up while the connection was opened.
    var interface = conditions.interface(of: address)
    if interface == nil { interface = await network.conditions().interface(of: address) }
    return interface.flatMap { NetworkAccessRules.obstacle(on: $0, to: access) }
  }

  /// A name that can't be looked up without a network says nothing about the name, and nor does one that no name server answers for while
  /// there is no way out.
  func judged(_ error: LoadError) async -> LoadError {
    guard error.kind == .cannotFindHost || error.kind == .dnsLookupFailed, context.failure == nil else { return error }
    let conditions = await network.conditions()
    guard !conditions.reachesOthers || error.kind == .dnsLookupFailed && conditions.ways.isEmpty else { return error }
    var offline = LoadError(
      .notConnectedToInternet, error.phase, "this machine has no network, so no name can be looked up; connect it and try again")
    offline.posixCode = error.posixCode
    return offline
  }
}

extension LoadSession {
  /// What is known of the network that has this address.
  func traits(of address: String?) -> NetworkAccess {
    address.flatMap { settings.network.known?.interface(of: $0) }.map(NetworkAccessRules.traits) ?? []
  }

  /// Throws where request or session want the host's addresses validated, which nobody here can do.
  func refuseUnvalidated(_ host: String, _ request: LoadRequest) throws(LoadError) {
    let requiresValidation = request.requiresDNSSECValidation || settings.requiresDNSSECValidation
    if let refusal = LookUpRules.refusal(of: host, requiresValidation: requiresValidation) { throw refusal }
  }
}
