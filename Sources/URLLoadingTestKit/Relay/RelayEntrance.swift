#if TestKit
  import Foundation
  import NIOCore
  import NIOPosix

  /// The handler of the relay's socket for clients. For each client it has a `RelayFlow`, whose own socket the server sees as the client.
  ///
  /// Owned by its channel's pipeline and confined to the event loop.
  final class RelayEntrance: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    /// The most clients that are served; datagrams of further clients are dropped.
    private static let flowLimit = 1024

    private let server: SocketAddress
    private let state: RelayState
    private var flows: [SocketAddress: RelayFlow] = [:]

    init(_ server: SocketAddress, _ state: RelayState) { (self.server, self.state) = (server, state) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let envelope = unwrapInboundIn(data)
      let client = envelope.remoteAddress
      if flows[client] == nil, flows.count < RelayEntrance.flowLimit {
        let answer = NIOLoopBound(RelayAnswer(channel: context.channel, client: client), eventLoop: context.eventLoop)
        flows[client] = RelayFlow(to: server, state, on: context.eventLoop) { answer.value.send($0) }
      }
      flows[client]?.receive(envelope.data)
    }

    func channelInactive(context: ChannelHandlerContext) {
      for flow in flows.values { flow.close() }
      flows = [:]
      context.fireChannelInactive()
    }

    /// Ignores errors of the socket, such as an ICMP message that a client has gone.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    /// Gives every client a new socket towards the server; the future succeeds when all are bound.
    func rebindAll() -> EventLoopFuture<Void> {
      guard let eventLoop = flows.values.first?.eventLoop else { return NIOSingletons.posixEventLoopGroup.any().makeSucceededVoidFuture() }
      return EventLoopFuture.andAllSucceed(flows.values.map { $0.rebind() }, on: eventLoop)
    }
  }

  /// Sends datagrams of the server to one client.
  private struct RelayAnswer {
    let channel: any Channel
    let client: SocketAddress

    func send(_ bytes: ByteBuffer) { channel.writeAndFlush(AddressedEnvelope(remoteAddress: client, data: bytes), promise: nil) }
  }
#endif
