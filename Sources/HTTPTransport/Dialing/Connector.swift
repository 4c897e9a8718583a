import LoadingModel
import NIOCore
import NIOSSL
import ProtocolRules

/// Opens HTTP connections: name look-up, race of the addresses (RFC 8305), proxy, TLS. Owned by the pool; confined to its event loop.
final class Connector {
  private let executor: LoopExecutor
  private let clock: any LoadClock
  private let dialer: SocketDialer
  private let tls: TLSSettings
  private let policy: TLSPolicyRule?
  private let tickets: TLSTicketStore
  private let identities: ClientIdentityCache
  /// The session's HTTPS records of origins (RFC 9460); nil if they aren't looked up.
  weak var services: (any ServicePlaces)?
  /// Receives each step of setting up a connection; nil where nothing is recorded.
  let watcher: (any ConnectionWatcher)?

  init(
    executor: LoopExecutor, clock: any LoadClock, dialer: SocketDialer, tls: TLSSettings, policy: TLSPolicyRule?, tickets: TLSTicketStore,
    identities: ClientIdentityCache, watcher: (any ConnectionWatcher)?
  ) {
    self.executor = executor
    self.clock = clock
    self.watcher = watcher
    self.dialer = dialer
    self.tls = tls
    self.policy = policy
    self.tickets = tickets
    self.identities = identities
  }

  /// Opens a connection that is ready for its first exchange.
  ///
  /// If the server can't decrypt the encrypted ClientHello, a second connection is opened as RFC 9849, 6.1.6 requires.
  func open(_ attempt: ConnectAttempt, owner: any AttemptOwner) async throws(LoadError) -> HTTPConnection {
    let hello = EncryptedHello(tls.encryptedHello)
    do throws(LoadError) {
      return try await open(attempt, hello, owner)
    } catch {
      if hello.wasRejected { attempt.timings.encryptedHello = .rejected }
      guard hello.retries, !attempt.isEnded, !owner.isDraining else { throw error }
    }
    // The first handshake was rejected before the app was asked: its questions end, and the second handshake may ask its own.
    attempt.questions?.withdraw(.cancelled(.secure))
    return try await open(attempt, hello, owner)
  }

  private func open(
    _ attempt: ConnectAttempt, _ hello: EncryptedHello, _ owner: any AttemptOwner
  ) async throws(LoadError) -> HTTPConnection {
    let timings = attempt.timings
    do {
      let channel: any Channel
      do {
        channel = try await self.channel(attempt, timings, hello) { owner.routeAttempt(for: attempt) }
      } catch {
        var mapped = TransportErrors.connecting(error)
        if attempt.destination.route == .direct { mapped.resendReason = .notConnected }
        throw mapped
      }
      let connection: HTTPConnection
      do {
        connection = try await ready(channel, attempt, timings, hello, owner)
      } catch {
        channel.close(promise: nil)
        throw error
      }
      // The server may have closed the connection between the end of the handshake and this resumption.
      switch connection {
      case .single(let connection) where !connection.isIdle: throw connection.refusal ?? Connector.closedAtOnce
      case .shared(let connection) where !connection.isOpen:
        connection.close()
        throw Connector.closedAtOnce
      case .single, .shared: return connection
      }
    } catch {
      throw TransportErrors.connecting(error)
    }
  }

  /// Opens a channel to the origin, or to the proxy if that forwards the requests.
  ///
  /// - Parameter hello: How the ClientHello to the origin will be encrypted; nil for protocols other than HTTP.
  func channel(
    _ attempt: ConnectAttempt, _ timings: ConnectTimings, _ hello: EncryptedHello? = nil, routeAttempt: () -> RouteAttempt?
  ) async throws -> any Channel {
    if let proxy = attempt.destination.route.proxy {
      let dialer = ProxyDialer(attempt: attempt, proxy: proxy, executor: executor, clock: clock, dialer: dialer, timings: timings)
      return try await dialer.channel(setup, tickets, routeAttempt: routeAttempt)
    }
    let origin = attempt.origin
    let purpose = SocketPurpose(traffic: attempt.destination.traffic, firstBytes: origin.isSecure ? .handshake : .any)
    if let hello, hello.isAgain, let place = attempt.place {
      return try await dialer.connect(
        host: place.host, port: place.port, timings: timings, for: purpose, isWanted: { attempt.isWanted }, began: attempt.began
      ).get()
    }
    if let services, origin.isSecure, services.follows(origin) {
      if let hello, hello.isRequired { try await awaitKeys(attempt, services) }
      defer { attempt.whenEnded = nil }
      return try await ServiceRace(attempt, dialer, services, for: purpose).begin().get()
    }
    if attempt.isAsSaid, dialer.plan.socketPath(for: origin) == nil {
      return try await dialer.connect(
        host: origin.host, port: origin.port, timings: timings, for: purpose, isWanted: { attempt.isWanted }, began: attempt.began
      ).get()
    }
    return try await dialer.connect(
      origin, timings: timings, for: purpose, isWanted: { attempt.isWanted }, began: attempt.began
    ).get()
  }

  /// Reads the trust anchors from their files, unless that has been done: the system's bundle is large, and reading it would block the event loop. An
  /// error is reported by the handshake, which reads them again.
  func prepareTrust() async {
    guard !tls.isTrustStoreRead else { return }
    let reading = BlockingThreads.files.run(on: executor.eventLoop) { [tls] in _ = try? tls.trustStore() }
    try? await reading.get()
  }

  /// A place named by an HTTPS record has accepted the connection, but the attempt failed before it proved to serve the origin. Decides whether to
  /// try the origin's other places; the failed one is dropped then.
  ///
  /// - Returns: The places that the next attempt has to leave out; nil if there is no other place to try.
  func leaves(_ attempt: ConnectAttempt, _ error: LoadError) -> Set<ServicePlace>? {
    guard let place = attempt.place, attempt.refusedPlaces.count < ServiceBindingRules.placeLimit, !attempt.isEnded, !error.isChoice,
      error.resendReason != .needsHTTP1, attempt.questions?.wasWithdrawn != true
    else { return nil }
    let refused = attempt.refusedPlaces.union([place])
    let known = services?.places(of: attempt.origin) { _ in } ?? []
    let left = ServiceBindingRules.attempts(at: attempt.origin, known, offering: attempt.offeredProtocols, without: refused)
    guard !left.allSatisfy(place.isSame) else { return nil }
    services?.drop(place, of: attempt.origin)
    return refused
  }

  /// Waits until the DNS has answered with the keys for Encrypted Client Hello, at most `LookUpRules.patience`, or the attempt has ended: encryption
  /// is required, and no connection is allowed without keys.
  private func awaitKeys(_ attempt: ConnectAttempt, _ services: any ServicePlaces) async throws {
    let answered = executor.eventLoop.makePromise(of: Void.self)
    guard services.places(of: attempt.origin, { _ in answered.succeed() }) == nil else { return answered.succeed() }
    attempt.whenEnded = { answered.succeed() }
    // The DNS question is dropped without an answer when the networks change: the wait has a limit.
    let wake = clock.plan(at: clock.now.advanced(bySeconds: LookUpRules.patience)) { answered.succeed() }
    try await answered.futureResult.get()
    wake.cancel()
    attempt.whenEnded = nil
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
    // ALPN isn't used: "http/1.1" would be wrong, and servers refuse handshakes with protocol names that they don't know.
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

  /// Ends a handshake that takes longer than `handshakeLimit`: a server that accepts connections but doesn't complete the handshake must not
  /// occupy a place in the pool. While the app is asked about the server, the limit starts again.
  private static func limit(_ handshake: Handshake, _ executor: LoopExecutor, _ clock: any LoadClock) {
    guard handshake.isRunning else { return }
    handshake.limit = clock.plan(at: clock.now.advanced(bySeconds: handshakeLimit)) { [weak handshake] in
      executor.eventLoop.execute { [weak handshake] in
        guard let handshake, handshake.isRunning else { return }
        if handshake.asksApp { limit(handshake, executor, clock) } else { handshake.timeOut() }
      }
    }
  }

  /// Seconds for a TLS handshake over TCP or a QUIC handshake, not counting the time that the app takes to answer challenges.
  static let handshakeLimit = 75.0

  /// Performs TLS on a connected channel where the scheme needs it, and adds the HTTP handler that ALPN has selected.
  private func ready(
    _ channel: any Channel, _ attempt: ConnectAttempt, _ timings: ConnectTimings, _ hello: EncryptedHello, _ owner: any AttemptOwner
  ) async throws -> HTTPConnection {
    let server = attempt.destination.server
    func parts(_ slot: TLSSessionSlot?) -> ConnectionParts {
      ConnectionParts(
        id: attempt.id, destination: attempt.destination, timings: timings, clock: clock, session: slot,
        mayBeMultipath: dialer.usesMultipath)
    }
    guard server.isSecure else {
      let connection = parts(nil).http1(on: channel, owner: owner)
      try channel.pipeline.syncOperations.addHandler(connection)
      return .single(connection)
    }
    if attempt.destination.route.isDirect {
      hello.found(attempt.place.flatMap { services?.encryptedHello(of: attempt.origin, at: $0.host, $0.port) })
    }
    try hello.check(attempt.origin)
    let setup = setup(server, offering: attempt.offeredProtocols)
    let secured = try setup.secure(serverName: HostName(server.serverName).name, tickets, owner.questions(for: attempt), hello)
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
