#if TestKit
  import Foundation
  import NIOCore
  import NIOSSL
  import NIOTLS

  /// A connection on which a script of exact bytes and other steps runs.
  ///
  /// Owned by its channel's pipeline and confined to the event loop. Reads while the script waits for input, and after the script's end.
  final class RawConnection: ChannelInboundHandler, ScriptConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let ordinal: Int
    private let steps: [WireStep]
    private let record: ServerRecord
    private let options: TestServer.Options
    private var context: ChannelHandlerContext?
    private var runner: ScriptRunner?
    private var wantsInput = false
    private var hasStarted = false
    private var hasEnded = false
    /// True without TLS, or when the TLS handshake is complete; false during the handshake.
    private var isSecured: Bool

    init(ordinal: Int, steps: [WireStep], record: ServerRecord, options: TestServer.Options) {
      self.ordinal = ordinal
      self.steps = steps
      self.record = record
      self.options = options
      isSecured = if case .none = options.tls { true } else { false }
    }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      runner = ScriptRunner(context: context, record: record, stage: self)
      if context.channel.isActive { begin() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelActive(context: ChannelHandlerContext) {
      context.fireChannelActive()
      begin()
    }

    func channelInactive(context: ChannelHandlerContext) {
      end()
      context.fireChannelInactive()
    }

    private func begin() {
      guard !hasStarted else { return }
      hasStarted = true
      // The first read also starts the TLS handshake, if there is one.
      context?.read()
      runner?.start(steps)
    }

    private func end() {
      runner?.stop()
      // The runner refers to the context, which refers to this handler: releasing it ends the reference cycle.
      runner = nil
      context = nil
      if !isSecured { record.state.update { $0.failedHandshakes += 1 } }
      isSecured = true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var buffer = unwrapInboundIn(data)
      record.received(buffer, on: ordinal)
      if hasEnded { return }
      wantsInput = false
      runner?.received(&buffer)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      if wantsInput || hasEnded { context.read() }
      context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      runner?.writabilityChanged()
      context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .handshakeCompleted = event as? TLSUserEvent { isSecured = true }
      if case .inputClosed = event as? ChannelEvent {
        runner?.inputEnded()
        // The client has closed its sending side, and the script has nothing left to send: the connection is closed.
        if hasEnded { context.close(promise: nil) }
      }
      context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }

    func scriptEnded() {
      hasEnded = true
      runner?.dropInput()
      context?.read()
    }

    func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
      guard let context else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
      context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
    }

    func disconnect(_ kind: WireStep.Disconnection) { context?.disconnect(kind) }

    func scriptNeedsInput() {
      wantsInput = true
      context?.read()
    }

    func startTLS(_ certificate: TestCertificate, pending: ByteBuffer) {
      guard let context else { return }
      do {
        let secure = NIOSSLServerHandler(context: try options.tlsContext(certificate))
        isSecured = false
        try context.pipeline.syncOperations.addHandler(secure, position: .first)
        // Bytes that the client sent before the server's switch to TLS are the beginning of the handshake.
        if pending.readableBytes > 0 { context.pipeline.fireChannelRead(pending) }
      } catch {
        context.fireErrorCaught(error)
        context.close(promise: nil)
      }
    }
  }
#endif
