#if TestKit
  #if HTTP3
    import CLoadingQUIC
    import NIOCore
    import NIOHPACK
    import NIOHTTP2

    /// A NIO channel for one HTTP/3 stream, which carries HTTP/2's frames, so that `ServedStream` can serve both protocols.
    ///
    /// Owned by its connection, which passes received frames to it and tells it when written bytes have been sent. Confined to the event loop. Frames
    /// are delivered only after `read`; undelivered bytes stay counted against the stream's flow-control window.
    final class HTTP3StreamChannel: Channel, ChannelCore, @unchecked Sendable {
      // @unchecked: the variables are confined to the event loop.

      /// The channel becomes unwritable when more than `highWater` bytes wait to be sent, and writable again below `lowWater`.
      private static let highWater = 65536
      private static let lowWater = 32768

      let eventLoop: any EventLoop
      let allocator = ByteBufferAllocator()
      let parent: (any Channel)?
      var localAddress: SocketAddress? { parent?.localAddress }
      let remoteAddress: SocketAddress?
      let identifier: Int64
      private weak var connection: HTTP3ServerConnection?
      private let closePromise: EventLoopPromise<Void>
      private(set) lazy var pipeline = ChannelPipeline(channel: self)
      private(set) var isActive = true
      private(set) var isWritable = true

      private var inbox: [HTTP2Frame.FramePayload] = []
      private var wantsRead = false
      private var unflushed: [(frame: HTTP2Frame.FramePayload, promise: EventLoopPromise<Void>?)] = []
      /// `written` counts the body bytes given to the connection. Each promise in `unsent` is fulfilled once that many of them (`end`) have been
      /// sent.
      private var written = 0
      private var unsent: [(end: Int, promise: EventLoopPromise<Void>)] = []
      private var hasHead = false
      private var hasEnded = false

      init(_ identifier: Int64, of connection: HTTP3ServerConnection, parent: (any Channel)?, remoteAddress: SocketAddress?) {
        self.identifier = identifier
        self.connection = connection
        self.parent = parent
        self.remoteAddress = remoteAddress
        eventLoop = connection.eventLoop
        closePromise = eventLoop.makePromise()
        _ = pipeline
      }

      var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
      var _channelCore: any ChannelCore { self }
      func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
      }
      func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
      }

      // MARK: - Calls of the connection

      /// Stores a received frame in the inbox; `deliver` passes it to the pipeline.
      func receive(_ frame: HTTP2Frame.FramePayload) {
        guard isActive else { return }
        if case .data(var more) = frame, case .data(let last)? = inbox.last, !last.endStream, case .byteBuffer(var bytes) = last.data,
          case .byteBuffer(var added) = more.data
        {
          inbox.removeLast()
          bytes.writeBuffer(&added)
          more.data = .byteBuffer(bytes)
          inbox.append(.data(more))
        } else {
          inbox.append(frame)
        }
      }

      /// The peer has reset its side of the stream, or stopped reading. Frames that came before are delivered at once, without waiting for `read`.
      func receiveReset(_ code: UInt64) {
        guard isActive else { return }
        inbox.append(.rstStream(HTTP2ErrorCode(networkCode: Int(min(code, UInt64(UInt32.max))))))
        wantsRead = true
        deliver()
      }

      func deliver() {
        guard wantsRead, isActive, !inbox.isEmpty else { return }
        wantsRead = false
        let frames = inbox
        inbox = []
        for frame in frames where isActive {
          if case .data(let data) = frame { connection?.consumed(data.data.readableBytes, on: identifier) }
          pipeline.syncOperations.fireChannelRead(NIOAny(frame))
        }
        if isActive { pipeline.fireChannelReadComplete() }
      }

      /// Called after packets have been sent: fulfils the promises of writes whose bytes have been sent, and updates the writability.
      func progress() {
        guard isActive, let connection else { return }
        let waiting = connection.unsent(on: identifier)
        while let first = unsent.first, first.end <= written - waiting {
          unsent.removeFirst()
          first.promise.succeed()
        }
        noteWaiting(waiting)
      }

      private func noteWaiting(_ waiting: Int) {
        let wasWritable = isWritable
        isWritable = waiting < (wasWritable ? HTTP3StreamChannel.highWater : HTTP3StreamChannel.lowWater)
        if isWritable != wasWritable { pipeline.fireChannelWritabilityChanged() }
      }

      /// Closes the channel, because the stream or its connection has ended.
      func ended() {
        guard isActive else { return }
        isActive = false
        for (_, promise) in unflushed { promise?.fail(ChannelError.ioOnClosedChannel) }
        for (_, promise) in unsent { promise.fail(ChannelError.ioOnClosedChannel) }
        (unflushed, unsent, inbox) = ([], [], [])
        pipeline.fireChannelInactive()
        eventLoop.assumeIsolated().execute {
          self.removeHandlers(pipeline: self.pipeline)
          self.closePromise.succeed()
        }
      }

      // MARK: - Frames to the peer

      private func perform(_ frame: HTTP2Frame.FramePayload, _ promise: EventLoopPromise<Void>?) {
        guard isActive, let connection else {
          promise?.fail(ChannelError.ioOnClosedChannel)
          return
        }
        switch frame {
        case .headers(let head): send(head, to: connection)
        case .data(let data):
          if case .byteBuffer(let bytes) = data.data, bytes.readableBytes > 0, connection.send(bytes, on: identifier) {
            written += bytes.readableBytes
            noteWaiting(connection.unsent(on: identifier))
          }
          if data.endStream {
            hasEnded = true
            connection.finish(identifier)
          }
        case .rstStream(let code): reset(code, connection)
        case .priority, .settings, .pushPromise, .ping, .goAway, .windowUpdate, .alternativeService, .origin: break
        }
        if let promise { unsent.append((written, promise)) }
        connection.wake()
      }

      private func send(_ head: HTTP2Frame.FramePayload.Headers, to connection: HTTP3ServerConnection) {
        if head.headers.first(name: ":status")?.hasPrefix("1") == true {
          connection.inform(head.headers, on: identifier)
        } else if !hasHead {
          hasHead = true
          hasEnded = head.endStream
          connection.respond(head.headers, on: identifier, ends: head.endStream)
        } else {
          hasEnded = true
          connection.trail(head.headers, on: identifier)
        }
      }

      private func reset(_ code: HTTP2ErrorCode, _ connection: HTTP3ServerConnection) {
        // NO_ERROR after a complete response: the server needs no more of the request and asks the client to stop sending it (RFC 9114, 4.1).
        guard code != .noError || !hasEnded else { return connection.stopReading(identifier) }
        // A QUIC reset discards bytes that haven't been delivered yet, so it waits until the peer has acknowledged them.
        connection.whenDelivered { [weak self, weak connection] in
          guard let self, self.isActive, let connection else { return }
          connection.cancel(self.identifier, HTTP3Code.translating(code))
          self.ended()
        }
      }

      // MARK: ChannelCore

      func localAddress0() throws -> SocketAddress { try unwrapped(localAddress) }
      func remoteAddress0() throws -> SocketAddress { try unwrapped(remoteAddress) }
      private func unwrapped(_ address: SocketAddress?) throws -> SocketAddress {
        guard let address else { throw ChannelError.unknownLocalAddress }
        return address
      }

      func register0(promise: EventLoopPromise<Void>?) { promise?.succeed() }
      func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) { promise?.succeed() }
      func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }
      func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }

      func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isActive else {
          promise?.fail(ChannelError.ioOnClosedChannel)
          return
        }
        unflushed.append((unwrapData(data, as: HTTP2Frame.FramePayload.self), promise))
      }

      func flush0() {
        let flushed = unflushed
        unflushed = []
        for (frame, promise) in flushed { perform(frame, promise) }
      }

      func read0() {
        wantsRead = true
        guard !inbox.isEmpty else { return }
        // As with a socket, received frames are delivered in a later turn of the event loop, not within `read`.
        eventLoop.assumeIsolated().execute { self.deliver() }
      }

      func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard isActive else {
          promise?.fail(ChannelError.alreadyClosed)
          return
        }
        if mode == .all {
          if hasEnded { connection?.stopReading(identifier) } else { connection?.cancel(identifier, HTTP3Code.requestCancelled) }
          ended()
        }
        promise?.succeed()
      }

      func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) { promise?.succeed() }
      func channelRead0(_ data: NIOAny) {}
      func errorCaught0(error: any Error) {}
    }
  #endif
#endif
