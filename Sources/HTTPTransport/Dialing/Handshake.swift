import LoadingModel
import NIOCore
import NIOTLS
import ProtocolRules

/// The TLS handshake of one new connection: its handler is above TLS until the handshake is over, then gives its place to the handler
/// of the HTTP that both sides have agreed on (ALPN, RFC 7301).
///
///     running -> over, with a connection
///        \-----> over, with an error
///
/// Owned by its channel; confined to the event loop.
final class Handshake: ChannelInboundHandler, ChannelOutboundHandler, RemovableChannelHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  private enum State {
    case running(EventLoopPromise<HTTPConnection>)
    case over
  }

  /// Larger reads save nothing here, and decrypted they need buffers of up to twice their size, of which a process keeps many: 8 MiB of it
  /// were measured.
  private static let receiveBuffers = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 64 * 1024)

  private let parts: ConnectionParts
  private let session: TLSSessionSlot
  private weak var owner: (any AttemptOwner)?
  private var state: State
  private var context: ChannelHandlerContext?
  /// Whether this side has closed the channel.
  private var isAbandoned = false
  /// The wake that ends a handshake which takes too long.
  var limit: PlannedWake?

  /// - Parameter ready: Succeeds with a connection that is in the channel already.
  init(
    _ parts: ConnectionParts, _ session: TLSSessionSlot, owner: any AttemptOwner, ready: EventLoopPromise<HTTPConnection>
  ) {
    self.owner = owner
    self.parts = parts
    self.session = session
    state = .running(ready)
  }

  /// Whether it waits for the app.
  var asksApp: Bool { session.questions?.isOpen ?? false }

  var isRunning: Bool {
    if case .running = state { true } else { false }
  }

  /// Gives the connection up.
  func close() {
    isAbandoned = true
    context?.close(mode: .all, promise: nil)
  }

  /// The server has taken too long.
  func timeOut() {
    guard case .running(let ready) = state else { return }
    state = .over
    fail(ready, LoadError(.timedOut, .secure, "the server didn't get through the TLS handshake"))
    context?.close(mode: .all, promise: nil)
  }

  // MARK: channel events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    try? context.channel.syncOptions?.setOption(.recvAllocator, value: Handshake.receiveBuffers)
    if context.channel.isActive { context.read() } else { channelInactive(context: context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    limit.take()?.cancel()
  }

  func channelActive(context: ChannelHandlerContext) {
    context.read()
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .handshakeCompleted(let chosen)? = event as? TLSUserEvent else { return context.fireUserInboundEventTriggered(event) }
    guard case .running(let ready) = state else { return }
    state = .over
    parts.timings.secureEnd = parts.clock.now
    session.handshakeEnded()
    parts.timings.tell(.secured(session.facts(chosen)))
    if chosen == "h2", let suite = session.negotiatedCipherSuite, !CipherSuiteRules.allowsHTTP2(suite) {
      return refuse(suite, ready, context)
    }
    do {
      let pipeline = context.pipeline.syncOperations
      let connection: HTTPConnection
      if chosen == "h2" {
        let handler = parts.http2(on: context.channel, owner: owner)
        if let watcher = parts.timings.watcher, watcher.watchesFrames {
          // First: the connection sends when it is added.
          let tap = FrameTap(watcher)
          try pipeline.addHandler(tap, position: .after(self))
          try pipeline.addHandler(handler, position: .after(tap))
        } else {
          try pipeline.addHandler(handler, position: .after(self))
        }
        connection = .shared(handler)
      } else {
        let handler = parts.http1(on: context.channel, owner: owner)
        try pipeline.addHandler(handler, position: .after(self))
        connection = .single(handler)
      }
      // What TLS has decrypted already is read by the connection next.
      pipeline.removeHandler(context: context, promise: nil)
      ready.succeed(connection)
    } catch {
      ready.fail(TransportErrors.connecting(error))
      context.close(mode: .all, promise: nil)
    }
  }

  private func fail(_ ready: EventLoopPromise<HTTPConnection>, _ error: LoadError) {
    parts.timings.tell(isAbandoned ? .abandoned : .unsecured(reason: error.message, certificates: session.peerTrust.certificates))
    ready.fail(error)
  }

  /// RFC 9113, 9.2.2: a cipher suite that HTTP/2 forbids is an error of the connection. HTTP/1.1 may use it.
  private func refuse(_ suite: UInt16, _ ready: EventLoopPromise<HTTPConnection>, _ context: ChannelHandlerContext) {
    var farewell = ByteBuffer()
    farewell.writeStaticString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    farewell.writeSettings([])
    farewell.writeGoAway(.inadequateSecurity)
    context.writeAndFlush(NIOAny(farewell), promise: nil)
    let number = String(suite, radix: 16)
    var error = LoadError(
      .secureConnectionFailed, .secure, "the server chose HTTP/2 with the cipher suite 0x\(number), which is too weak for HTTP/2")
    error.resendReason = .needsHTTP1
    ready.fail(error)
    context.close(mode: .all, promise: nil)
  }

  /// The attempt is ended from outside: what follows isn't the server's doing.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    isAbandoned = true
    context.close(mode: mode, promise: promise)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.read()
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .running(let ready) = state {
      state = .over
      fail(ready, session.explain(error))
    }
    context.close(mode: .all, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    if case .running(let ready) = state {
      state = .over
      fail(ready, TLSSessionSlot.brokenOff())
    }
    context.fireChannelInactive()
  }
}
