import LoadingModel
import NIOCore
import NIOSSL

/// Opens connections: resolve, race addresses (RFC 8305), secure. Owned by the pool; confined to its event loop.
final class Connector {
  private let executor: LoopExecutor
  private let clock: any LoadClock
  private let dialer: SocketDialer
  private let tls: TLSSettings
  private let policy: TLSPolicyRule?
  private let tickets: TLSTicketStore
  private let identities: ClientIdentityCache
  /// Knows where origins are served; nil where nothing is asked. The session's.
  weak var services: (any ServicePlaces)?

  init(
    executor: LoopExecutor, clock: any LoadClock, dialer: SocketDialer, tls: TLSSettings, policy: TLSPolicyRule?, tickets: TLSTicketStore,
    identities: ClientIdentityCache
  ) {
    self.executor = executor
    self.clock = clock
    self.dialer = dialer
    self.tls = tls
    self.policy = policy
    self.tickets = tickets
    self.identities = identities
  }

  /// Returns a connection that is ready for its first exchange.
  func open(_ attempt: ConnectAttempt, owner: any AttemptOwner) async throws(LoadError) -> HTTPConnection {
    let timings = attempt.timings
    do {
      let channel: any Channel
      do {
        channel = try await self.channel(attempt, timings) { owner.routeAttempt(for: attempt) }
      } catch {
        var mapped = TransportErrors.connecting(error)
        if attempt.destination.route == .direct { mapped.resendReason = .notConnected }
        throw mapped
      }
      let connection: HTTPConnection
      do {
        connection = try await ready(channel, attempt, timings, owner)
      } catch {
        channel.close(promise: nil)
        throw error
      }
      // The server may have closed it while the news was on its way here.
      switch connection {
      case .single(let connection) where !connection.isIdle: throw connection.refusal ?? Connector.closedAtOnce
      case .shared(let connection) where !connection.isOpen: throw Connector.closedAtOnce
      case .single, .shared: return connection
      }
    } catch {
      throw TransportErrors.connecting(error)
    }
  }

  /// A channel that leads to the origin, or to the proxy that is sent the requests.
  func channel(_ attempt: ConnectAttempt, _ timings: ConnectTimings, routeAttempt: () -> RouteAttempt?) async throws -> any Channel {
    if let proxy = attempt.destination.route.proxy {
      let dialer = ProxyDialer(attempt: attempt, proxy: proxy, executor: executor, clock: clock, dialer: dialer, timings: timings)
      return try await dialer.channel(setup, tickets, routeAttempt: routeAttempt)
    }
    let origin = attempt.origin
    let purpose = SocketPurpose(traffic: attempt.destination.traffic, firstBytes: origin.isSecure ? .handshake : .any)
    if let services, origin.isSecure, services.follows(origin) {
      defer { attempt.whenEnded = nil }
      return try await ServiceRace(attempt, dialer, services, for: purpose).begin().get()
    }
    if attempt.isAsSaid, dialer.plan.socketPath(for: origin) == nil {
      return try await dialer.connect(host: origin.host, port: origin.port, timings: timings, for: purpose, began: attempt.began).get()
    }
    return try await dialer.connect(
      origin, timings: timings, for: purpose, isWanted: { !attempt.isEnded }, began: attempt.began
    ).get()
  }

  private func setup(_ server: Origin) -> TLSSetup { setup(server, offering: ["http/1.1"]) }

  private func setup(_ server: Origin, offering protocols: [String]) -> TLSSetup {
    let policy = policy(of: server)
    var settings = tls.applying(policy)
    settings.applicationProtocols = protocols
    return TLSSetup(origin: server, settings: settings, policy: policy, identities: identities)
  }

  /// TLS for a connection to `origin` whose protocol isn't HTTP.
  func security(
    _ origin: Origin, _ context: LoadContext, evaluator: (any PeerEvaluator)?, deciders: PeerDeciders
  ) throws(LoadError) -> ChannelSecurity {
    var settings = tls
    // HTTP's name would be wrong, and servers refuse names that they don't know.
    settings.applicationProtocols = []
    let terms = ChannelSecurity.Terms(
      origin: origin, settings: settings, policy: policy(of: origin), identities: identities, evaluator: evaluator, deciders: deciders)
    return try ChannelSecurity(terms, tickets: tickets, context)
  }

  func policy(of origin: Origin) -> TLSPolicy { policy?(origin) ?? .none }

  private static var closedAtOnce: LoadError {
    var error = LoadError(.networkConnectionLost, .secure, "the server closed the connection at once")
    error.resendReason = .cutOff
    return error
  }

  /// A server that accepts connections but doesn't get through the handshake must not keep its place in the pool. The app's time to
  /// answer isn't the server's.
  private static func limit(_ handshake: Handshake, _ executor: LoopExecutor, _ clock: any LoadClock) {
    guard handshake.isRunning else { return }
    handshake.limit = clock.plan(at: clock.now.advanced(bySeconds: handshakeLimit)) { [weak handshake] in
      executor.eventLoop.execute { [weak handshake] in
        guard let handshake, handshake.isRunning else { return }
        if handshake.asksApp { limit(handshake, executor, clock) } else { handshake.timeOut() }
      }
    }
  }

  /// Seconds for what follows TCP's own handshake, and for one over QUIC, without the time that the app takes for its answers.
  static let handshakeLimit = 75.0

  /// Makes an HTTP connection of a connected channel.
  private func ready(
    _ channel: any Channel, _ attempt: ConnectAttempt, _ timings: ConnectTimings, _ owner: any AttemptOwner
  ) async throws -> HTTPConnection {
    let server = attempt.destination.server
    func parts(_ slot: TLSSessionSlot?) -> ConnectionParts {
      ConnectionParts(id: attempt.id, destination: attempt.destination, timings: timings, clock: clock, session: slot)
    }
    guard server.isSecure else {
      let connection = parts(nil).http1(on: channel, owner: owner)
      try channel.pipeline.syncOperations.addHandler(connection)
      return .single(connection)
    }
    let setup = setup(server, offering: attempt.offersHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"])
    let secured = try setup.secure(serverName: HostName(server.serverName).name, tickets, owner.questions(for: attempt))
    timings.secureStart = clock.now
    timings.tell(.handshake(serverName: server.serverName))
    secured.slot.tellMessages(timings)
    let ready = executor.eventLoop.makePromise(of: HTTPConnection.self)
    let handshake = Handshake(parts(secured.slot), secured.slot, owner: owner, ready: ready)
    do {
      try channel.pipeline.syncOperations.addHandlers([secured.handler, handshake])
    } catch {
      ready.fail(error)
    }
    Connector.limit(handshake, executor, clock)
    // The session may have ended while the socket was connecting.
    if owner.isDraining { handshake.close() }
    return try await ready.futureResult.get()
  }
}
