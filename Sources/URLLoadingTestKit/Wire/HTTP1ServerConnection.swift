#if TestKit
  import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOSSL
  import NIOTLS

  /// One HTTP/1 connection of a test server: receives requests one after another, asks its `ReplySource` for replies and sends them.
  ///
  /// Owned by its channel's pipeline and confined to the event loop. Reads when it can use the input, and once ahead during a reply, because the
  /// close_notify of a client that leaves has to be read.
  ///
  ///     idle --head--> [held --gate-->] receiving --end--> replying --> idle
  ///       `--head of a reply that doesn't wait--> replying --> [draining --end-->] idle
  ///     replying --last reply--> closing
  final class HTTP1ServerConnection: ChannelInboundHandler, RemovableChannelHandler, ScriptConnection {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private enum Phase {
      case idle, held, receiving, closing
      /// The reply is being sent; `bodyEnded` tells whether the request's body has been received completely.
      case replying(bodyEnded: Bool)
      /// The reply has been sent; the rest of the request's body is read and dropped.
      case draining
    }

    private let replySource: ReplySource
    private let record: ServerRecord
    private let answersExpectation: Bool
    private var facts: RecordedRequest.Connection
    private var isSecured: Bool
    private var phase = Phase.idle
    private var exchange: ServedExchange?
    private var waitingParts = CircularBuffer<HTTPServerRequestPart>()
    private var context: ChannelHandlerContext?
    private var runner: ScriptRunner?
    private var gateWait: GateWait?

    init(ordinal: Int, replySource: ReplySource, record: ServerRecord, options: TestServer.Options) {
      self.replySource = replySource
      self.record = record
      answersExpectation = options.sendsContinue
      facts = RecordedRequest.Connection(ordinal: ordinal)
      isSecured = if case .none = options.tls { true } else { false }
    }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      runner = ScriptRunner(context: context, record: record, stage: self)
      context.channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in self?.end() }
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

    private func end() {
      guard context != nil else { return }
      context = nil
      phase = .closing
      runner?.stop()
      // The runner refers to the context, which refers to this handler: releasing it ends the reference cycle.
      runner = nil
      gateWait?.breakOff()
      waitingParts.removeAll()
      dropExchange()
      if !isSecured { record.state.update { $0.failedHandshakes += 1 } }
      isSecured = true
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .handshakeCompleted(let negotiated) = event as? TLSUserEvent {
        isSecured = true
        let secure = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
        facts.negotiatedProtocol = negotiated
        facts.tlsVersion = secure?.tlsVersion.map { TestServer.TLSVersion($0) }
        facts.clientCertificate = secure?.peerCertificate.flatMap { try? Data($0.toDERBytes()) }
      }
      context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      waitingParts.append(unwrapInboundIn(data))
      process()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      readMore()
      context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      runner?.writabilityChanged()
      context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard let error = error as? HTTPParserError, error != .invalidEOFState else {
        // The connection has failed, or the client has closed it in the middle of a request.
        context.close(promise: nil)
        return
      }
      record.state.update { $0.malformedRequests += 1 }
      switch phase {
      case .idle, .receiving:
        dropExchange()
        perform(Reply.text("The request isn't valid HTTP: \(error)\n", status: 400), for: .init(keepsAlive: false))
      case .held, .replying, .draining, .closing: context.close(promise: nil)
      }
    }

    /// Ends the current exchange. If its request is incomplete, records the part of it that has been received.
    private func dropExchange() {
      guard let exchange else { return }
      if !exchange.request.isComplete { record.replace(exchange.place, by: exchange.request) }
      self.exchange = nil
      record.exchangeEnded()
    }

    private var acceptsPart: Bool {
      switch phase {
      case .idle, .receiving, .draining, .closing, .replying(bodyEnded: false): true
      case .held, .replying(bodyEnded: true): false
      }
    }

    private func readMore() {
      guard waitingParts.isEmpty else { return }
      switch phase {
      case .idle, .receiving, .replying, .draining, .closing: context?.read()
      case .held: break
      }
    }

    private func process() {
      while acceptsPart, let part = waitingParts.popFirst() {
        switch part {
        case .head(let head):
          // The connection is closing, so this request isn't served; its body must not be added to the previous request.
          if case .closing = phase { dropExchange() }
          begin(head)
        case .body(let buffer):
          exchange?.append(buffer, limit: record.bodyLimit)
          breakOffIfDue()
        case .end(let trailers): finishRequest(trailers)
        }
      }
    }

    private func begin(_ head: HTTPRequestHead) {
      guard case .idle = phase else { return }
      var request = RecordedRequest(
        method: head.method.rawValue, uri: head.uri, version: "HTTP/\(head.version.major).\(head.version.minor)",
        headers: HeaderList(head.headers.map { (name: $0.name, value: $0.value) }), connection: facts)
      let plan = replySource.plan(for: &request)
      let exchange = ServedExchange(request: request, place: record.begin(request), plan: plan)
      self.exchange = exchange
      if !plan.informational.isEmpty { inform(plan.informational) }
      switch plan.reading {
      case .first: receiveBody()
      case .afterwards:
        phase = .replying(bodyEnded: false)
        reply()
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
      process()
      readMore()
    }

    private func inform(_ informational: [Reply.Informational]) {
      var bytes = ByteBuffer()
      bytes.write(informational)
      write(bytes, nil)
    }

    private func breakOffIfDue() {
      guard case .receiving = phase, exchange?.isToBreakOff == true else { return }
      phase = .closing
      runner?.start([.disconnect(.exchange)])
    }

    private func receiveBody() {
      phase = .receiving
      breakOffIfDue()
      guard case .receiving = phase else { return }
      guard answersExpectation, exchange?.request.headers.listContains("Expect", token: "100-continue") == true else { return }
      context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
    }

    private func finishRequest(_ trailers: HTTPHeaders?) {
      guard let exchange else { return }
      exchange.request.isComplete = true
      if let trailers { exchange.request.trailers = HeaderList(trailers.map { (name: $0.name, value: $0.value) }) }
      record.replace(exchange.place, by: exchange.request)
      switch phase {
      case .receiving:
        phase = .replying(bodyEnded: true)
        reply()
      case .replying: phase = .replying(bodyEnded: true)
      case .draining: becomeIdle()
      case .idle, .held, .closing: break
      }
    }

    private func becomeIdle() {
      phase = .idle
      dropExchange()
    }

    private func reply() {
      guard let exchange else { return }
      perform(exchange.reply(replySource), for: exchange.occasion)
    }

    private func perform(_ reply: Reply, for occasion: ReplyScript.Occasion) {
      if let service = reply.webSocket, let request = exchange?.request, request.headers.listContains("Upgrade", token: "websocket") {
        return upgrade(request, service)
      }
      if exchange == nil { phase = .replying(bodyEnded: true) }
      let script = ReplyScript(reply, for: occasion)
      exchange?.keepsAlive = script.keepsAlive
      runner?.start(script.steps)
    }

    /// Turns the connection into a WebSocket: sends the 101 response and replaces the HTTP handlers by a `WebSocketPeer`.
    private func upgrade(_ request: RecordedRequest, _ service: WebSocketService) {
      guard let context else { return }
      phase = .closing
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: WebSocketPeer.response(to: request, service))), promise: nil)
      let pipeline = context.pipeline.syncOperations
      do {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try WebSocketPeer.add(to: pipeline, after: self, service, record)
        pipeline.removeHandler(decoder, promise: nil)
        pipeline.removeHandler(context: context, promise: nil)
      } catch {
        context.close(promise: nil)
      }
    }

    func scriptEnded() {
      guard case .replying(let bodyEnded) = phase else { return }
      switch (exchange?.keepsAlive ?? false, bodyEnded) {
      case (true, true): becomeIdle()
      case (true, false): phase = .draining
      case (false, true):
        phase = .closing
        runner?.start([.disconnect(.orderly)])
      case (false, false):
        // Closing with unread input would send a TCP reset, which could destroy the reply before the client has read it (RFC 9112, 9.6).
        phase = .closing
        context?.close(mode: .output, promise: nil)
      }
      process()
      readMore()
    }

    func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
      guard let context else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
      context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
    }

    func disconnect(_ kind: WireStep.Disconnection) { context?.disconnect(kind) }

    func scriptNeedsInput() {}
    func startTLS(_ certificate: TestCertificate, pending: ByteBuffer) {}
  }
#endif
