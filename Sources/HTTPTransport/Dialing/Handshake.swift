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

  /// At most 64 KiB are read at once during a handshake: larger reads save nothing, and their decryption buffers, of twice that size, stay
  /// allocated (8 MiB were measured in a process).
  private static let receiveBuffers = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 64 * 1024)

  private let parts: ConnectionParts
  private let session: TLSSessionSlot
  private weak var owner: (any AttemptOwner)?
  private var state: State
  private var context: ChannelHandlerContext?
  /// Whether this side has closed the channel, so that a failure isn't reported as the server's.
  private var isAbandoned = false
  /// The planned call that ends the handshake when it takes too long (`Connector.handshakeLimit`).
  var limit: PlannedWake?

  /// - Parameter ready: Succeeds with the HTTP connection once its handler has been added to the channel.
  init(
    _ parts: ConnectionParts, _ session: TLSSessionSlot, owner: any AttemptOwner, ready: EventLoopPromise<HTTPConnection>
  ) {
    self.owner = owner
    self.parts = parts
    self.session = session
    state = .running(ready)
  }

  /// Whether the handshake waits for the app to answer a challenge.
  var asksApp: Bool { session.questions?.isOpen ?? false }

  var isRunning: Bool {
    if case .running = state { true } else { false }
  }

  /// Closes the connection because it isn't needed any more.
  func close() {
    isAbandoned = true
    context?.close(mode: .all, promise: nil)
  }

  /// The handshake has taken longer than its limit: fails it and closes the channel.
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
          // The tap is added first, as the connection sends its preface as soon as it is added.
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
      // Removing this handler lets bytes that TLS has already decrypted reach the connection.
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

  /// Refuses HTTP/2 with a cipher suite that RFC 9113, 9.2.2 forbids: sends GOAWAY and fails the attempt. HTTP/1.1 may use the suite.
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

  /// This side closes the channel, as the attempt isn't needed any more: the failure that follows isn't the server's.
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
