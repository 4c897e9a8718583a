import LoadingModel
import NIOCore
import NIOSSL

/// Opens connections: resolve, race addresses (RFC 8305), secure. Owned by the pool; confined to its event loop.
final class Connector {
  private let executor: LoopExecutor
  private let clock: any LoadClock
  private let tls: TLSSettings
  private let policy: TLSPolicyRule?
  private let tickets: TLSTicketStore
  private let identities: ClientIdentityBook

  init(
    executor: LoopExecutor, clock: any LoadClock, tls: TLSSettings, policy: TLSPolicyRule?, tickets: TLSTicketStore,
    identities: ClientIdentityBook
  ) {
    self.executor = executor
    self.clock = clock
    self.tls = tls
    self.policy = policy
    self.tickets = tickets
    self.identities = identities
  }

  /// Returns a connection that is ready for its first exchange.
  func open(_ attempt: ConnectAttempt, owner: any ConnectionOwner) async throws(LoadError) -> HTTP1Connection {
    let origin = attempt.origin
    let timings = ConnectTimings()
    let ready = executor.eventLoop.makePromise(of: Void.self)
    do {
      let dialer = SocketDialer(executor: executor, clock: clock)
      let channel = try await dialer.connect(host: origin.host, port: origin.port, timings: timings, began: attempt.began).get()
      let connection: HTTP1Connection
      do {
        connection = try install(on: channel, attempt, timings, serverName: HostName(origin.host).name, ready, owner)
      } catch {
        channel.close(promise: nil)
        throw error
      }
      Connector.limitHandshake(of: connection, executor, clock)
      owner.connectionBegan(connection)
      try await ready.futureResult.get()
      // The server may have closed it while the news was on its way here.
      guard connection.isIdle else {
        throw connection.refusal ?? LoadError(.networkConnectionLost, .connect, "the server closed the connection at once")
      }
      return connection
    } catch {
      ready.fail(error)
      throw TransportErrors.connecting(error)
    }
  }

  /// A server that accepts connections but doesn't get through the handshake must not keep its place in the pool. The app's time to
  /// answer isn't the server's.
  private static func limitHandshake(of connection: HTTP1Connection, _ executor: LoopExecutor, _ clock: any LoadClock) {
    guard connection.isConnecting else { return }
    clock.wake(at: clock.now.advanced(bySeconds: handshakeLimit)) { [weak connection] in
      executor.eventLoop.execute { [weak connection] in
        guard let connection, connection.isConnecting else { return }
        if connection.asksApp { limitHandshake(of: connection, executor, clock) } else { connection.close() }
      }
    }
  }

  /// Seconds for what follows TCP's own handshake.
  private static let handshakeLimit = 75.0

  private func install(
    on channel: any Channel, _ attempt: ConnectAttempt, _ timings: ConnectTimings, serverName: String?,
    _ ready: EventLoopPromise<Void>, _ owner: any ConnectionOwner
  ) throws(LoadError) -> HTTP1Connection {
    let (id, origin) = (attempt.id, attempt.origin)
    var handlers: [any ChannelHandler] = []
    var slot: TLSSessionSlot?
    if origin.isSecure {
      let policy = policy?(origin) ?? .none
      let setup = TLSSetup(origin: origin, settings: tls.applying(policy), policy: policy, identities: identities)
      let secured = try setup.secure(serverName: serverName, tickets, owner.questions(for: attempt))
      slot = secured.slot
      timings.secureStart = clock.now
      handlers.append(secured.handler)
    }
    let connection = HTTP1Connection(
      id: id, origin: origin, timings: timings, clock: clock, session: slot, ready: ready, owner: owner)
    handlers.append(connection)
    do {
      try channel.pipeline.syncOperations.addHandlers(handlers)
    } catch {
      throw TransportErrors.connecting(error)
    }
    return connection
  }
}
