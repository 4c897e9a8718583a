import LoadingModel
import NIOCore
import ProtocolRules

/// Connects to a proxy, and opens a tunnel through it (CONNECT or SOCKS) where the route needs one. A value, used once on the event loop.
struct ProxyDialer {
  let attempt: ConnectAttempt
  let proxy: Proxy
  let executor: LoopExecutor
  let clock: any LoadClock
  let dialer: SocketDialer
  let timings: ConnectTimings

  /// Makes the TLS setup for a connection to a server, here to the proxy.
  typealias Securing = (Origin) throws(LoadError) -> TLSSetup

  /// Opens a channel to the origin through the proxy's tunnel, or to the proxy itself if it forwards requests.
  ///
  /// - Parameter routeAttempt: The waiting load's credentials for the proxy, asked for just before the tunnel is opened; nil if no load waits for
  /// it any longer.
  func channel(
    _ securing: Securing, _ tickets: TLSTicketStore, routeAttempt: () -> RouteAttempt?
  ) async throws -> any Channel {
    let address = try await lookUp()
    let channel = try await reach()
    guard case .tunnel = attempt.destination.route else { return channel }
    timings.tell(.tunnel(proxy: proxy.place, to: "\(attempt.origin.serverName):\(attempt.origin.port)"))
    do {
      guard proxy.kind.isHTTP else {
        let socks = try SOCKSHandshake(proxy, to: attempt.origin, address: address)
        let tunnel = try tunnel(.socks(socks), channel, securing, tickets)
        _ = try await ask(tunnel, ByteBuffer(bytes: socks.opening), routeAttempt())
        timings.tell(.tunnelOpen(proxy: proxy.place))
        return channel
      }
      try await connect(channel, securing, tickets, routeAttempt())
      timings.tell(.tunnelOpen(proxy: proxy.place))
      return channel
    } catch {
      channel.close(promise: nil)
      throw explained(TransportErrors.connecting(error))
    }
  }

  /// Seconds that each of a proxy's addresses has for accepting a connection.
  private static let connectPatience: Int64 = 20

  /// The origin's address, for the kinds of SOCKS that leave it to the client to look it up.
  private func lookUp() async throws -> IPAddress? {
    let origin = attempt.origin
    var addresses: [SocketAddress] = []
    switch proxy.kind {
    case .http, .https, .socks4a, .socks5h: return nil
    case _ where IPAddress(origin.host) != nil: return nil
    case .socks4: addresses = try await dialer.hosts.addresses(of: origin.host, port: origin.port, .v4).get()
    case .socks5:
      addresses = try await dialer.hosts.addresses(of: origin.host, port: origin.port).get().sorted {
        $0.protocol == .inet && $1.protocol != .inet
      }
    }
    guard let address = addresses.lazy.compactMap({ $0.ipAddress.flatMap(IPAddress.init) }).first else {
      throw LoadError(.cannotFindHost, .resolve, "“\(origin.host)” has no address of a kind that the proxy can connect to")
    }
    return address
  }

  private func reach() async throws -> any Channel {
    do {
      let purpose = SocketPurpose(traffic: attempt.destination.traffic, firstBytes: proxy.origin.isSecure ? .handshake : .any)
      return try await dialer.connect(
        host: proxy.host, port: proxy.port, timings: timings, for: purpose, patience: .seconds(ProxyDialer.connectPatience),
        isWanted: { [attempt] in attempt.isWanted }, began: attempt.began
      ).get()
    } catch {
      let cause = TransportErrors.connecting(error)
      var mapped = cause
      mapped.message = "the proxy \(proxy.place) can't be reached: \(cause.message)"
      // An unknown proxy is reported as `cannotConnectToHost`: `cannotFindHost` would say that the origin is unknown.
      let isUnknown = cause.kind == .cannotFindHost
      if isUnknown { mapped.kind = .cannotConnectToHost }
      mapped.proxy = ProxyFault(unreachable, isUnreachable: true, isAway: TransportErrors.isTurnedAway(cause), isUnknown: isUnknown)
      throw mapped
    }
  }

  private var unreachable: ProxyFault.Code? {
    guard proxy.kind.isHTTP else { return nil }
    return attempt.origin.isSecure ? .secureUnreachable : .httpUnreachable
  }

  /// The most messages of one authentication to the proxy.
  private static let messageLimit = 16

  /// Opens a tunnel by CONNECT. If the proxy requires authentication, its messages are exchanged on this one connection.
  private func connect(_ channel: any Channel, _ securing: Securing, _ tickets: TLSTicketStore, _ routeAttempt: RouteAttempt?) async throws
  {
    let shown = routeAttempt?.showing ?? 0
    let authenticator = routeAttempt?.makeTunnelAuthenticator?()
    let tunnel = try tunnel(
      .connect(ResponseReader(), proxy: proxy), channel, securing, tickets, refusal: authenticator == nil ? .ends : .mayBeAnswered,
      shown: shown)
    var authorization =
      if let authenticator { await authenticator.authorization(after: nil) } else { routeAttempt?.authorize?(attempt.origin) }
    for _ in 0..<ProxyDialer.messageLimit {
      switch try await ask(tunnel, ByteBuffer(string: ConnectRules.head(attempt.origin, authorization: authorization)), routeAttempt) {
      case .open(let head):
        guard let authenticator, let head else { return }
        guard await authenticator.accepts(head) else { throw ConnectRules.unproven(proxy) }
        return
      case .refused(let head):
        authorization = await authenticator?.authorization(after: head)
        if authorization == nil, let refusal = ConnectRules.refusal(head, by: proxy, shown: shown) { throw refusal }
      }
    }
    // The proxy works, but refuses this client: not a reason to try the next route.
    var error = LoadError(.cannotConnectToHost, .connect, "it asked \(ProxyDialer.messageLimit) times in a row who is calling")
    error.proxy = ProxyFault(.connectAnswer)
    throw error
  }

  /// Adds the handlers to the channel that open the tunnel: TLS to the proxy if it is used, and the handshake of CONNECT or SOCKS.
  private func tunnel(
    _ method: TunnelHandshake.Method, _ channel: any Channel, _ securing: Securing, _ tickets: TLSTicketStore,
    refusal: TunnelHandshake.Refusal = .ends, shown: Int = 0
  ) throws -> TunnelHandshake {
    var handlers: [any ChannelHandler] = []
    var slot: TLSSessionSlot?
    if proxy.origin.isSecure {
      let secured = try securing(proxy.origin).secure(serverName: HostName(proxy.host).name, tickets, nil)
      slot = secured.slot
      handlers.append(secured.handler)
    }
    let tunnel = TunnelHandshake(method, to: attempt.origin, security: slot, refusal: refusal, shown: shown)
    try channel.pipeline.syncOperations.addHandlers(handlers + [tunnel], position: .first)
    return tunnel
  }

  /// Sends `bytes` and waits for the proxy's answer, for a limited time; the time to compute the next authorization doesn't count.
  private func ask(_ tunnel: TunnelHandshake, _ bytes: ByteBuffer, _ routeAttempt: RouteAttempt?) async throws -> TunnelHandshake.Answer {
    let number = tunnel.questionCount + 1
    let patience = routeAttempt?.isLastWay == false ? TunnelHandshake.patienceBeforeOthers : TunnelHandshake.patience
    clock.wake(at: clock.now.advanced(bySeconds: patience)) { [weak tunnel, executor] in
      executor.eventLoop.execute { [weak tunnel] in
        guard let tunnel, tunnel.questionCount == number else { return }
        tunnel.giveUp(LoadError(.timedOut, .connect, "it didn't open a tunnel within \(Int(patience)) seconds"))
      }
    }
    return try await tunnel.ask(bytes)
  }

  /// Adds the proxy's name to the error's message, unless the message names it already, as those about logins and SOCKS refusals do.
  private func explained(_ error: LoadError) -> LoadError {
    guard error.proxy == nil || error.proxy?.code == .connectAnswer, !error.message.contains("proxy \(proxy.place)") else { return error }
    var error = error
    error.message = "the proxy \(proxy.place) failed: \(error.message)"
    let isAway = error.resendReason == .cutOff || error.kind == .cannotConnectToHost
    if error.proxy == nil { error.proxy = ProxyFault(unreachable, isUnreachable: isAway, isAway: isAway, isSlow: error.kind == .timedOut) }
    return error
  }
}
