#if TestKit
  import NIOCore
  import NIOPosix

  /// The relay of one client: its socket towards the server, and the datagrams that are held back. Confined to the event loop.
  final class RelayFlow {
    /// The most datagrams that wait until the socket is bound, and that are held back in each direction; further ones are dropped.
    private static let limit = 256

    private struct Held {
      var bytes: ByteBuffer
      /// How many datagrams still have to pass before this one is sent.
      var others: Int
    }

    let eventLoop: any EventLoop
    private let server: SocketAddress
    private let state: RelayState
    private let answer: (ByteBuffer) -> Void
    private var channel: (any Channel)?
    /// The socket before the last rebind. The server sends to it until it has received a datagram from the new one, so it stays open.
    private var previous: (any Channel)?
    private var isClosed = false
    /// The client's datagrams that wait until the socket is bound.
    private var waiting: [ByteBuffer] = []
    private var heldToServer: [Held] = []
    private var heldToClient: [Held] = []
    private var sinceRebind = 0

    /// - Parameter answer: Sends a datagram of the server to the client.
    init(to server: SocketAddress, _ state: RelayState, on eventLoop: any EventLoop, answer: @escaping (ByteBuffer) -> Void) {
      (self.server, self.state, self.eventLoop, self.answer) = (server, state, eventLoop, answer)
      _ = bind()
    }

    /// Handles a datagram from the client.
    func receive(_ bytes: ByteBuffer) {
      sinceRebind += 1
      if let count = state.values.read(\.conduct.rebindsEvery), sinceRebind >= max(1, count) { _ = rebind() }
      for bytes in RelayFlow.outcome(bytes, state.decide(.toServer), &heldToServer) { sendToServer(bytes) }
    }

    /// Handles a datagram from the server.
    fileprivate func receiveAnswer(_ bytes: ByteBuffer) {
      for bytes in RelayFlow.outcome(bytes, state.decide(.toClient), &heldToClient) { answer(bytes) }
    }

    /// Binds a new socket towards the server, so that the server sees the client at another port.
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

    /// Applies `fate` to a received datagram. Returns the datagrams to be sent now: itself, unless it is dropped or held back, and held ones that
    /// enough others have passed.
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

  /// The handler of a flow's socket: receives the server's datagrams.
  private final class RelayExit: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private weak var flow: RelayFlow?

    init(_ flow: RelayFlow) { self.flow = flow }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { flow?.receiveAnswer(unwrapInboundIn(data).data) }

    /// Ignores errors of the socket, such as an ICMP message that the server has gone.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
  }
#endif
