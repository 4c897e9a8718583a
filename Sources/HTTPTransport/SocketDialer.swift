import LoadingModel
import NIOCore
import NIOPosix

/// Connects sockets: resolves the name off the loop and races the addresses (RFC 8305). A value, used on the session's event loop.
package struct SocketDialer {
  private let executor: LoopExecutor
  private let clock: any LoadClock

  package init(executor: LoopExecutor, clock: any LoadClock) {
    self.executor = executor
    self.clock = clock
  }

  /// A connected channel that doesn't read by itself. Its errors are for `TransportErrors.connecting`.
  ///
  /// - Parameters:
  ///   - host: A name, or an address without brackets.
  ///   - began: Told of each socket before it is connected; a failure gives that socket up.
  package func connect(
    host: String, port: Int, timings: ConnectTimings, began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    let resolver = AddressResolver(eventLoop: executor.eventLoop, clock: clock, timings: timings)
    return connect(host: host, port: port, timings: timings, resolver: resolver, began: began)
  }

  /// As above, with a resolver that may know the addresses already.
  func connect(
    host: String, port: Int, timings: ConnectTimings, resolver: AddressResolver,
    began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: executor.eventLoop)
      .channelOption(.autoRead, value: false)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(.recvAllocator, value: SocketDialer.receiveBuffers)
      .channelOption(.writeBufferWaterMark, value: .init(low: 64 * 1024, high: 256 * 1024))
      .connectTimeout(.seconds(75))
      .channelInitializer(began)
      .resolver(resolver)
    guard let literal = try? SocketAddress(ipAddress: host, port: port) else { return bootstrap.connect(host: host, port: port) }
    timings.connectStart = clock.now
    return bootstrap.connect(to: literal)
  }

  private static let receiveBuffers = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 * 1024)
}
