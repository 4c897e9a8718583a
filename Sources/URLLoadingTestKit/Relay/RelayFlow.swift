#if TestKit
  import NIOCore
  import NIOPosix

  /// One client's datagrams, and the socket by which the server sees it. Confined to the event loop.
  final class RelayFlow {
    /// How many datagrams wait for the socket, or for others to pass; further ones are dropped.
    private static let limit = 256

    private struct Held {
      var bytes: ByteBuffer
      /// How many others still pass before it.
      var others: Int
    }

    let eventLoop: any EventLoop
    private let server: SocketAddress
    private let state: RelayState
    private let answer: (ByteBuffer) -> Void
    private var channel: (any Channel)?
    /// The socket before: the server's datagrams still pass by it, because it learns of the other by the client's next one.
    private var previous: (any Channel)?
    private var isClosed = false
    /// What waits for the socket.
    private var waiting: [ByteBuffer] = []
    private var heldToServer: [Held] = []
    private var heldToClient: [Held] = []
    private var sinceRebind = 0

    /// - Parameter answer: Sends to the client.
    init(to server: SocketAddress, _ state: RelayState, on eventLoop: any EventLoop, answer: @escaping (ByteBuffer) -> Void) {
      (self.server, self.state, self.eventLoop, self.answer) = (server, state, eventLoop, answer)
      _ = bind()
    }

    /// A datagram from the client.
    func receive(_ bytes: ByteBuffer) {
      sinceRebind += 1
      if let count = state.values.read(\.conduct.rebindsEvery), sinceRebind >= max(1, count) { _ = rebind() }
      for bytes in RelayFlow.outcome(bytes, state.decide(.toServer), &heldToServer) { sendToServer(bytes) }
    }

    /// A datagram from the server.
    fileprivate func receiveAnswer(_ bytes: ByteBuffer) {
      for bytes in RelayFlow.outcome(bytes, state.decide(.toClient), &heldToClient) { answer(bytes) }
    }

    /// Takes another port towards the server.
    func rebind() -> EventLoopFuture<Void> {
      sinceRebind = 0
      if let channel {
        previous?.close(promise: nil)
        previous = channel
      }
      channel = nil
      state.rebound()
      return bind()
    }

    func close() {
      isClosed = true
      for channel in [channel, previous] { channel?.close(promise: nil) }
      (channel, previous) = (nil, nil)
    }

    private func sendToServer(_ bytes: ByteBuffer) {
      if let channel {
        channel.writeAndFlush(AddressedEnvelope(remoteAddress: server, data: bytes), promise: nil)
      } else if waiting.count < RelayFlow.limit {
        waiting.append(bytes)
      }
    }

    private func bind() -> EventLoopFuture<Void> {
      let flow = NIOLoopBound(self, eventLoop: eventLoop)
      return DatagramBootstrap.bind("127.0.0.1", 0, on: eventLoop) {
        $0.channelOption(.socketOption(.so_rcvbuf), value: 1 << 20)
      } _: {
        try $0.pipeline.syncOperations.addHandler(RelayExit(flow.value))
      }
      .map { flow.value.bound($0) }
    }

    private func bound(_ channel: any Channel) {
      guard !isClosed, self.channel == nil else { return channel.close(promise: nil) }
      self.channel = channel
      let due = waiting
      waiting = []
      for bytes in due { sendToServer(bytes) }
    }

    /// What passes now that `bytes` has come: itself, perhaps, and those that have waited long enough behind it.
    private static func outcome(_ bytes: ByteBuffer, _ fate: RelayState.Fate, _ held: inout [Held]) -> [ByteBuffer] {
      var passing: [ByteBuffer] = []
      switch fate {
      case .pass: passing = [bytes]
      case .lose: break
      case .double: passing = [bytes, bytes]
      case .hold(let others): if held.count < limit { held.append(Held(bytes: bytes, others: others)) }
      case .corrupt(let position):
        var changed = bytes
        let index = changed.readerIndex + position % max(1, changed.readableBytes)
        if let byte: UInt8 = changed.getInteger(at: index) { changed.setInteger(byte ^ 0x55, at: index) }
        passing = [changed]
      }
      guard !passing.isEmpty, !held.isEmpty else { return passing }
      for index in held.indices { held[index].others -= 1 }
      passing += held.filter { $0.others <= 0 }.map(\.bytes)
      held.removeAll { $0.others <= 0 }
      return passing
    }
  }

  /// Receives from the server.
  private final class RelayExit: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private weak var flow: RelayFlow?

    init(_ flow: RelayFlow) { self.flow = flow }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { flow?.receiveAnswer(unwrapInboundIn(data).data) }

    /// The server may be gone (ICMP).
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
  }
#endif
