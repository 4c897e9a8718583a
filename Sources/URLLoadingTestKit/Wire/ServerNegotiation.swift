#if TestKit
  import NIOCore
  import NIOHTTP1
  import NIOHTTP2
  import NIOSSL
  import NIOTLS

  /// Waits for the end of a connection's TLS handshake, then replaces itself by the handlers of the HTTP version that was negotiated (ALPN, RFC
  /// 7301).
  final class ServerNegotiation: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let ordinal: Int
    private let replySource: ReplySource
    private let record: ServerRecord
    private let options: TestServer.Options
    private var isSecured = false

    init(ordinal: Int, replySource: ReplySource, record: ServerRecord, options: TestServer.Options) {
      self.ordinal = ordinal
      self.replySource = replySource
      self.record = record
      self.options = options
    }

    func handlerAdded(context: ChannelHandlerContext) {
      if context.channel.isActive { context.read() }
    }

    func channelActive(context: ChannelHandlerContext) {
      context.fireChannelActive()
      context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      context.read()
      context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
      if !isSecured { record.state.update { $0.failedHandshakes += 1 } }
      isSecured = true
      context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard case .handshakeCompleted(let chosen) = event as? TLSUserEvent else { return context.fireUserInboundEventTriggered(event) }
      isSecured = true
      let pipeline = context.pipeline.syncOperations
      do {
        if chosen == "h2" {
          try context.channel.syncOptions?.setOption(.autoRead, value: true)
          try pipeline.addHandler(multiplexer(on: context, chosen), position: .after(self))
        } else {
          let connection = HTTP1ServerConnection(ordinal: ordinal, replySource: replySource, record: record, options: options)
          try pipeline.addHandlers([RequestDecoding.handler(), connection], position: .after(self))
          context.fireUserInboundEventTriggered(event)
        }
      } catch {
        context.close(promise: nil)
      }
      // Bytes that TLS has already decrypted are passed on to the new handlers when this handler is removed.
      pipeline.removeHandler(context: context, promise: nil)
    }

    private func facts(_ context: ChannelHandlerContext, _ chosen: String?) -> RecordedRequest.Connection {
      let secure = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
      var facts = RecordedRequest.Connection(ordinal: ordinal)
      facts.negotiatedProtocol = chosen
      facts.tlsVersion = secure?.tlsVersion.map { TestServer.TLSVersion($0) }
      facts.clientCertificate = secure?.peerCertificate.flatMap { try? .init($0.toDERBytes()) }
      return facts
    }

    private func multiplexer(on context: ChannelHandlerContext, _ chosen: String?) -> NIOHTTP2Handler {
      let facts = facts(context, chosen)
      var settings = [
        HTTP2Setting(parameter: .maxConcurrentStreams, value: options.maximumConcurrentStreams),
        HTTP2Setting(parameter: .maxHeaderListSize, value: 1 << 20),
      ]
      var configuration = NIOHTTP2Handler.ConnectionConfiguration()
      if options.allowsExtendedConnect {
        settings.append(HTTP2Setting(parameter: .init(extensionSetting: 8), value: 1))
        // NIO's validation rejects the pseudo-header field ":protocol", which it doesn't know.
        configuration.headerBlockValidation = .disabled
      }
      if !options.validatesMessages {
        configuration.headerBlockValidation = .disabled
        configuration.contentLengthValidation = .disabled
      }
      configuration.initialSettings = settings
      let (replySource, record, options) = (replySource, record, options)
      return NIOHTTP2Handler(mode: .server, eventLoop: context.eventLoop, connectionConfiguration: configuration) { stream in
        stream.eventLoop.makeCompletedFuture {
          guard let connection = stream.parent else { return }
          try stream.syncOptions?.setOption(.autoRead, value: false)
          try stream.pipeline.syncOperations.addHandler(
            ServedStream(
              facts: facts, replySource: replySource, record: record, options: options, connection: ServedTCPConnection(channel: connection)
            ))
        }
      }
    }
  }
#endif
