#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import NIOPosix

  /// Datagrams that the system may have joined (UDP_GRO).
  struct JoinedDatagrams {
    private let bytes: ByteBuffer
    private let length: Int

    /// - Parameter length: Bytes of each but the last; 0 if there is one.
    init(_ bytes: ByteBuffer, each length: Int) {
      self.bytes = bytes
      self.length = length > 0 ? length : max(1, bytes.readableBytes)
    }

    func forEach(_ body: (uls_h3_bytes) -> Void) {
      bytes.withUnsafeReadableBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: length) {
          let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + length, bytes.count)])
          body(uls_h3_bytes(data: part.baseAddress?.assumingMemoryBound(to: UInt8.self), length: part.count))
        }
      }
    }
  }

  /// One UDP socket of a connection: the handler of its channel, which is connected to the server's address.
  ///
  /// The system splits and joins datagrams where it can (UDP_SEGMENT, UDP_GRO). Owned by its channel; confined to the event loop.
  final class QUICSocket: ChannelDuplexHandler, @unchecked Sendable {
    // @unchecked: confined to the channel's event loop.
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    /// The most bytes of datagrams that are sent in one system call (UDP_SEGMENT) or received in one (UDP_GRO).
    static let batchLimit = 65_000
    private static let receiveBuffers = FixedSizeRecvByteBufferAllocator(capacity: 65_536)
    private static let kernelBuffer: CInt = 4 << 20

    private(set) weak var connection: HTTP3Connection?
    private var context: ChannelHandlerContext?
    private(set) var path: uls_h3_path?
    private var hasRead = false
    /// The first datagrams of the server, held until `release` is called; at most `heldLimit`.
    private var held: [(ByteBuffer, AddressedEnvelope<ByteBuffer>.Metadata?)] = []
    private static let heldLimit = 64
    private(set) var isHolding: Bool
    /// Succeeds when the first datagram of the server has arrived; nil if the socket doesn't hold datagrams.
    private let answered: EventLoopPromise<Void>?

    /// - Parameter answered: Succeeds with the first datagram; if given, datagrams are held until `release`.
    init(answered: EventLoopPromise<Void>? = nil) {
      self.answered = answered
      isHolding = answered != nil
    }

    /// Opens a channel with a UDP socket connected to `address`; fails if the system has no route to it.
    static func open(
      to address: SocketAddress, on eventLoop: any EventLoop, settings: SocketSettings, traffic: SocketPurpose,
      _ began: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
      if let open = settings.opensDatagramChannel { return open(address, eventLoop, began) }
      let marks = settings.datagramOptions(for: traffic)
      let made = Mutex<(any Channel)?>(nil)
      return DatagramBootstrap(group: eventLoop)
        .channelOption(.recvAllocator, value: receiveBuffers)
        .channelInitializer { channel in
          channel.closeOnExec()
          // The kernel may grant a smaller buffer.
          try? channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: .init(kernelBuffer))
          _ = channel.withSocket { SocketSettings.set(marks, of: $0) }
          made.withLock { $0 = channel }
          return began(channel)
        }
        .connect(to: address)
        .flatMapErrorThrowing { error in
          // Unlike those of TCP, NIO's bootstrap of datagrams leaves a socket open whose opening fails.
          made.withLock { $0 }?.close(promise: nil)
          throw error
        }
    }

    func attach(_ connection: HTTP3Connection) { self.connection = connection }

    /// Passes the held datagrams to the connection, and from now on each that arrives.
    func release() {
      guard isHolding else { return }
      isHolding = false
      let waiting = held
      held = []
      for (bytes, metadata) in waiting { pass(bytes, metadata) }
      connection?.readComplete()
    }

    // MARK: sending

    private(set) var localAddress: SocketAddress?
    /// The server's address. Both addresses stay known after the socket is closed.
    private(set) var remoteAddress: SocketAddress?
    /// Whether the socket is open, so that datagrams can be sent.
    var isOpen: Bool { context?.channel.isActive ?? false }
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Queues datagrams of `segment` bytes each, the last one shorter.
    func write(_ bytes: ByteBuffer, segment: Int, ecn: CInt) {
      guard let context, let remoteAddress else { return }
      var metadata = AddressedEnvelope<ByteBuffer>.Metadata(ecnState: NIOExplicitCongestionNotificationState(bits: ecn))
      if segment < bytes.readableBytes { metadata.segmentSize = segment }
      context.write(wrapOutboundOut(AddressedEnvelope(remoteAddress: remoteAddress, data: bytes, metadata: metadata)), promise: nil)
    }

    func flush() { context?.flush() }

    func close() { context?.close(promise: nil) }

    // MARK: channel events

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      if context.channel.isActive { began(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
      began(context)
      context.fireChannelActive()
    }

    private func began(_ context: ChannelHandlerContext) {
      localAddress = context.channel.localAddress
      remoteAddress = context.channel.remoteAddress
      path = uls_h3_path(local: localAddress, remote: remoteAddress)
      let options = context.channel.syncOptions
      try? options?.setOption(.explicitCongestionNotification, value: true)
      try? options?.setOption(.datagramReceiveOffload, value: true)
      try? options?.setOption(.datagramReceiveSegmentSize, value: true)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let envelope = unwrapInboundIn(data)
      hasRead = true
      if isHolding {
        if held.count < QUICSocket.heldLimit { held.append((envelope.data, envelope.metadata)) }
        answered?.succeed()
      } else {
        pass(envelope.data, envelope.metadata)
      }
    }

    private func pass(_ bytes: ByteBuffer, _ metadata: AddressedEnvelope<ByteBuffer>.Metadata?) {
      guard let path, bytes.readableBytes > 0 else { return }
      connection?.read(JoinedDatagrams(bytes, each: metadata?.segmentSize ?? 0), ecn: metadata?.ecnState.bits ?? 0, path)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      if hasRead, !isHolding { connection?.readComplete() }
      hasRead = false
      context.fireChannelReadComplete()
    }

    /// The channel is being closed from outside, by the attempt that opened it: lets the connection send CONNECTION_CLOSE before.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      connection?.socketCloses(self)
      context.close(mode: mode, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      if context.channel.isWritable { connection?.flush() }
      context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      // An ICMP error for a packet. It only ends a connection that is still opening, as it may be forged.
      answered?.fail(error)
      connection?.socketFailed(self, error)
    }

    func channelInactive(context: ChannelHandlerContext) {
      answered?.fail(ChannelError.eof)
      connection?.socketClosed(self)
      context.fireChannelInactive()
    }
  }
#endif
