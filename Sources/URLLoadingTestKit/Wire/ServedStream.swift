#if TestKit
  import Foundation
  import NIOCore
  import NIOHPACK
  import NIOHTTP2

  /// One request stream of HTTP/2 or HTTP/3 (whose channel carries HTTP/2's frames): receives the request, asks its `ReplySource` for a reply and
  /// sends it.
  ///
  /// Owned by its channel's pipeline and confined to the event loop. Reads only when it can use the input.
  ///
  ///     idle --head--> [held --gate-->] receiving --end--> replying --> done
  ///       `--head of a reply that doesn't wait--> replying --> done
  final class ServedStream: ChannelInboundHandler, RemovableChannelHandler, ScriptConnection {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum Phase {
      case idle, held, receiving, replying, done
    }

    private let facts: RecordedRequest.Connection
    private let replySource: ReplySource
    private let record: ServerRecord
    private let answersExpectation: Bool
    private let connection: any ServedConnection
    private var phase = Phase.idle
    private var exchange: ServedExchange?
    private var context: ChannelHandlerContext?
    private var runner: ScriptRunner?
    private var gateWait: GateWait?
    private var requestHasEnded = false
    /// Whether the connection is to be closed when the stream has ended.
    private var closesConnection = false
    /// Whether the request opens a WebSocket by extended CONNECT (RFC 8441).
    private var isTunnel = false
    /// Completes when the frame that was written last has been passed to the connection. A reset before that would discard the frame.
    private var lastIsWritten: EventLoopFuture<Void>?

    /// - Parameter connection: The connection that carries the stream.
    init(
      facts: RecordedRequest.Connection, replySource: ReplySource, record: ServerRecord, options: TestServer.Options,
      connection: any ServedConnection
    ) {
      self.facts = facts
      self.replySource = replySource
      self.record = record
      self.connection = connection
      answersExpectation = options.sendsContinue
    }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      runner = ScriptRunner(context: context, record: record, stage: self)
      if context.channel.isActive { context.read() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelActive(context: ChannelHandlerContext) {
      context.fireChannelActive()
      context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
      end()
      context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func end() {
      guard context != nil else { return }
      context = nil
      phase = .done
      runner?.stop()
      // The runner refers to the context, which refers to this handler: releasing it ends the reference cycle.
      runner = nil
      gateWait?.breakOff()
      if closesConnection {
        let connection = connection
        // The connection is ended in a later turn of the event loop, so that the stream's last frame is sent before.
        connection.eventLoop.assumeIsolated().execute { connection.end(.orderly) }
      }
      guard let exchange else { return }
      if !exchange.request.isComplete || exchange.request.resetCode != nil { record.replace(exchange.place, by: exchange.request) }
      self.exchange = nil
      record.exchangeEnded()
    }

    // MARK: - The request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .headers(let frame):
        if exchange == nil { begin(frame.headers) } else { exchange?.request.trailers = HeaderList(frame.headers.regular) }
        if frame.endStream { finishRequest() }
      case .data(let frame):
        if case .byteBuffer(let bytes) = frame.data { exchange?.append(bytes, limit: record.bodyLimit) }
        breakOffIfDue()
        if frame.endStream { finishRequest() }
      case .rstStream(let code):
        exchange?.request.resetCode = code.networkCode
        context.close(promise: nil)
      case .priority, .settings, .pushPromise, .ping, .goAway, .windowUpdate, .alternativeService, .origin: break
      }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      readMore()
      context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      runner?.writabilityChanged()
      context.fireChannelWritabilityChanged()
    }

    private func readMore() {
      if case .held = phase { return }
      context?.read()
    }

    private func begin(_ fields: HPACKHeaders) {
      var headers = HeaderList(fields.regular)
      if let authority = fields.first(name: ":authority"), !headers.contains(name: "Host") { headers.add("Host", authority) }
      var request = RecordedRequest(
        method: fields.first(name: ":method") ?? "", uri: fields.first(name: ":path") ?? "",
        version: facts.negotiatedProtocol == "h3" ? "HTTP/3" : "HTTP/2",
        headers: headers,
        connection: facts)
      let plan = replySource.plan(for: &request)
      isTunnel = fields.first(name: ":protocol") == "websocket"
      // The frames after this request are the WebSocket's bytes, not a body, so the request is complete.
      request.isComplete = isTunnel
      exchange = ServedExchange(request: request, place: record.begin(request), plan: plan)
      if isTunnel { return reply() }
      for interim in plan.informational { write(StreamFields(status: interim.status, fields: interim.headers)) }
      switch plan.reading {
      case .first: receiveBody()
      case .afterwards: reply()
      case .held(let gate):
        phase = .held
        guard let context else { return }
        gateWait = GateWait(gate, self, on: context.eventLoop) { $0.unhold() }
        if gateWait == nil { receiveBody() }
      }
    }

    private func unhold() {
      guard case .held = phase else { return }
      receiveBody()
      if requestHasEnded { reply() } else { readMore() }
    }

    private func breakOffIfDue() {
      guard case .receiving = phase, exchange?.isToBreakOff == true else { return }
      phase = .replying
      runner?.start([.disconnect(.exchange)])
    }

    private func receiveBody() {
      phase = .receiving
      breakOffIfDue()
      guard case .receiving = phase else { return }
      guard answersExpectation, exchange?.request.headers.listContains("Expect", token: "100-continue") == true else { return }
      write(StreamFields(status: 100))
    }

    private func finishRequest() {
      guard let exchange else { return }
      requestHasEnded = true
      exchange.request.isComplete = true
      record.replace(exchange.place, by: exchange.request)
      if case .receiving = phase { reply() }
    }

    // MARK: - The reply

    private func reply() {
      guard let exchange else { return }
      phase = .replying
      let reply = exchange.reply(replySource)
      if isTunnel, let service = reply.webSocket { return openTunnel(service) }
      runner?.start(ReplyScript(onStream: reply, isHead: exchange.request.method == "HEAD").steps)
    }

    /// Turns the stream into a WebSocket's tunnel (RFC 8441): sends the 200 response and adds the WebSocket's handlers.
    private func openTunnel(_ service: WebSocketService) {
      guard let context else { return }
      phase = .done
      var fields = StreamFields(status: 200)
      for (name, value) in service.headers where !value.isEmpty { fields.fields.add(name, value) }
      write(fields)
      let pipeline = context.pipeline.syncOperations
      do {
        // Added one after the other, because the WebSocket's peer writes as soon as it is added.
        let codec = TunnelCodec()
        try pipeline.addHandler(codec, position: .after(self))
        try WebSocketPeer.add(to: pipeline, after: codec, service, record)
        pipeline.removeHandler(context: context, promise: nil)
      } catch {
        context.close(promise: nil)
      }
    }

    func scriptEnded() {
      phase = .done
      guard !requestHasEnded, let context else { return }
      // RFC 9113, 8.1: a server that has sent a complete response and needs no more of the request resets the stream with NO_ERROR.
      (lastIsWritten ?? context.eventLoop.makeSucceededVoidFuture()).assumeIsolated().whenComplete { [weak self] _ in
        guard let self, let context = self.context else { return }
        context.writeAndFlush(self.wrapOutboundOut(.rstStream(.noError)), promise: nil)
      }
    }

    func scriptNeedsInput() {}
    func startTLS(_ certificate: TestCertificate, pending: ByteBuffer) {}

    func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
      guard let context else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
      guard bytes.readableBytes > 0 else {
        // There is nothing to write, but the promise has to wait until all earlier frames have been passed to the connection.
        let before = lastIsWritten ?? context.eventLoop.makeSucceededVoidFuture()
        return context.eventLoop.assumeIsolated().execute { before.cascade(to: promise) }
      }
      write(.data(.init(data: .byteBuffer(bytes))), promise)
    }

    private func write(_ frame: HTTP2Frame.FramePayload, _ promise: EventLoopPromise<Void>?) {
      guard let context else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
      let written = promise ?? context.eventLoop.makePromise(of: Void.self)
      lastIsWritten = written.futureResult
      context.writeAndFlush(wrapOutboundOut(frame), promise: written)
    }

    func write(_ fields: StreamFields) {
      write(.headers(.init(headers: fields.encoded, endStream: fields.endsStream)), nil)
    }

    func perform(_ act: StreamAct) {
      guard let context else { return }
      switch act {
      case .end: write(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)), nil)
      case .closeAfterwards: closesConnection = true
      case .reset(let code): reset(HTTP2ErrorCode(networkCode: code))
      case .goAway(let isProcessed): connection.goAway(isProcessed: isProcessed, on: context.channel)
      }
    }

    private func reset(_ code: HTTP2ErrorCode) { context?.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil) }

    /// Every disconnection except `exchange` ends the whole connection, as a crashed server does; `exchange` resets the stream.
    func disconnect(_ kind: WireStep.Disconnection) {
      switch kind {
      case .orderly, .abrupt, .reset: connection.end(kind)
      case .exchange: reset(.internalError)
      }
    }
  }

  extension HPACKHeaders {
    /// The fields other than pseudo-header fields.
    fileprivate var regular: [(name: String, value: String)] {
      compactMap { $0.name.hasPrefix(":") ? nil : (name: $0.name, value: $0.value) }
    }
  }
#endif
