import LoadingModel
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Opens connections: resolve, race addresses (RFC 8305), secure. Owned by the pool; confined to its event loop.
final class Connector {
  private let executor: LoopExecutor
  private let clock: any LoadClock
  private let tls: TLSSettings
  private let tickets: TLSTicketStore

  init(executor: LoopExecutor, clock: any LoadClock, tls: TLSSettings, tickets: TLSTicketStore) {
    self.executor = executor
    self.clock = clock
    self.tls = tls
    self.tickets = tickets
  }

  /// Returns a connection that is ready for its first exchange.
  func open(_ id: Int, _ origin: Origin, owner: any ConnectionOwner) async throws(LoadError) -> HTTP1Connection {
    let timings = ConnectTimings()
    let context = origin.isSecure ? try TLSContexts.shared.context(for: tls) : nil
    let ready = executor.eventLoop.makePromise(of: Void.self)
    let bootstrap = ClientBootstrap(group: executor.eventLoop)
      .channelOption(.autoRead, value: false)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(.recvAllocator, value: Connector.receiveBuffers)
      .channelOption(.writeBufferWaterMark, value: .init(low: 64 * 1024, high: 256 * 1024))
      .connectTimeout(.seconds(75))
      .resolver(AddressResolver(eventLoop: executor.eventLoop, clock: clock, timings: timings))
    let literal = try? SocketAddress(ipAddress: origin.host, port: origin.port)
    if literal != nil { timings.connectStart = clock.now }
    do {
      let channel: any Channel
      if let literal {
        channel = try await bootstrap.connect(to: literal).get()
      } else {
        channel = try await bootstrap.connect(host: origin.host, port: origin.port).get()
      }
      let connection: HTTP1Connection
      do {
        connection = try install(
          on: channel, id, origin, timings, context: context, serverName: literal == nil ? origin.host : nil, ready, owner)
      } catch {
        channel.close(promise: nil)
        throw error
      }
      limitHandshake(of: connection)
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

  /// A server that accepts connections but doesn't get through the handshake must not keep its place in the pool.
  private func limitHandshake(of connection: HTTP1Connection) {
    guard connection.isConnecting else { return }
    clock.wake(at: clock.now.advanced(bySeconds: Connector.handshakeLimit)) { [weak connection, executor] in
      executor.eventLoop.execute { [weak connection] in
        guard let connection, connection.isConnecting else { return }
        connection.close()
      }
    }
  }

  /// Seconds for what follows TCP's own handshake.
  private static let handshakeLimit = 75.0
  private static let receiveBuffers = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 * 1024)

  private func install(
    on channel: any Channel, _ id: Int, _ origin: Origin, _ timings: ConnectTimings, context: NIOSSLContext?, serverName: String?,
    _ ready: EventLoopPromise<Void>, _ owner: any ConnectionOwner
  ) throws -> HTTP1Connection {
    var handlers: [any ChannelHandler] = []
    var slot: TLSSessionSlot?
    if let context {
      let handler = try NIOSSLClientHandler(context: context, serverHostname: serverName)
      slot = TLSSessionSlot(handler: handler, store: tickets, origin: origin)
      timings.secureStart = clock.now
      handlers.append(handler)
    }
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderListSize = 256 * 1024
    limits.maxHeaderFieldSize = 128 * 1024
    limits.maxHeaderFieldCount = 4096
    let decoder = HTTPResponseDecoder(
      leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward, limitConfiguration: limits)
    let writer = RequestWriter(decoder: decoder)
    let connection = HTTP1Connection(
      id: id, origin: origin, timings: timings, clock: clock, writer: writer, session: slot, ready: ready, owner: owner)
    handlers += [writer, ByteToMessageHandler(decoder), connection]
    try channel.pipeline.syncOperations.addHandlers(handlers)
    return connection
  }
}
