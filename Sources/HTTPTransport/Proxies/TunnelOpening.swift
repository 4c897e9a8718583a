import HTTPPolicy
import LoadingModel
import NIOCore
import NIOTLS

/// Opens a tunnel through a proxy: stands in the channel until the proxy has connected to the origin, then leaves.
///
///     (securing ->) asking -> over
///
/// Owned by its channel; confined to the event loop.
final class TunnelOpening: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// What is said to the proxy.
  enum Dialogue {
    case connect(ResponseReader, proxy: Proxy)
    case socks(SOCKSDialogue)
  }

  private enum State {
    /// TLS to the proxy comes first.
    case securing
    case asking
    case over
  }

  /// 1xx responses to CONNECT.
  private static let informationalLimit = 16

  private let opening: ByteBuffer
  private let security: TLSSessionSlot?
  /// What is tunnelled to.
  private let origin: Origin
  private let ready: EventLoopPromise<Void>
  private var dialogue: Dialogue
  private var state: State
  private var informational = 0
  /// What the origin of a stream has said already.
  private var greeting = ByteBuffer()
  private var context: ChannelHandlerContext?

  /// - Parameters:
  ///   - opening: What is sent first.
  ///   - security: The TLS on the way to the proxy; nil if there is none.
  init(_ dialogue: Dialogue, to origin: Origin, opening: ByteBuffer, security: TLSSessionSlot?, ready: EventLoopPromise<Void>) {
    self.dialogue = dialogue
    self.origin = origin
    self.opening = opening
    self.security = security
    self.ready = ready
    state = security == nil ? .asking : .securing
  }

  /// Gives up, unless it has come to an end.
  func giveUp(_ error: LoadError) {
    guard let context else { return }
    fail(error, context)
  }

  // MARK: channel events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    guard context.channel.isActive else { return channelInactive(context: context) }
    if case .asking = state { context.writeAndFlush(NIOAny(opening), promise: nil) }
    context.read()
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent, case .securing = state {
      state = .asking
      security?.handshakeEnded()
      context.writeAndFlush(NIOAny(opening), promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .asking = state else { return }
    do throws(LoadError) {
      if try receive(unwrapInboundIn(data), context) { open(context) }
    } catch {
      fail(error, context)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    switch state {
    case .securing, .asking: context.read()
    case .over: break
    }
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .securing = state, let security { return fail(security.explain(error), context) }
    fail(TransportErrors.connecting(error), context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(LoadError(.cannotConnectToHost, .connect, "it closed the connection without opening a tunnel"), context)
    context.fireChannelInactive()
  }

  // MARK: the dialogue

  /// Whether the tunnel is open.
  private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) throws(LoadError) -> Bool {
    switch dialogue {
    case .socks(var socks):
      let step = try socks.receive(bytes.readableBytesView)
      if case .send(let answer) = step { context.writeAndFlush(NIOAny(ByteBuffer(bytes: answer)), promise: nil) }
      if step == .open, origin.isStream { greeting = ByteBuffer(bytes: socks.takeGreeting()) }
      dialogue = .socks(socks)
      return step == .open
    case .connect(var reader, let proxy):
      reader.append(bytes)
      defer { dialogue = .connect(reader, proxy: proxy) }
      while let event = try reader.next() {
        guard case .head(let head, _) = event else { continue }
        guard head.isInformational else {
          if let refusal = ConnectRules.refusal(head, by: proxy) { throw refusal }
          if origin.isStream { greeting = reader.takeSurplus() }
          // In HTTP it is the client that speaks first. RFC 9110, 9.3.6: a 2xx has no content, whatever its fields say.
          guard !reader.hasSurplus else { throw TunnelOpening.outOfTurn }
          return true
        }
        informational += 1
        guard informational <= TunnelOpening.informationalLimit else { throw TunnelOpening.outOfTurn }
        reader.expectHead()
      }
      return false
    }
  }

  private static var outOfTurn: LoadError {
    var error = LoadError(.cannotConnectToHost, .connect, "its answer to CONNECT says more than it should")
    error.proxy = ProxyFault(.connectAnswer)
    return error
  }

  private func open(_ context: ChannelHandlerContext) {
    state = .over
    security?.keepTickets()
    let ready = ready
    if greeting.readableBytes > 0 { context.fireChannelRead(NIOAny(greeting)) }
    context.pipeline.syncOperations.removeHandler(context: context).whenComplete { _ in ready.succeed() }
  }

  private func fail(_ error: LoadError, _ context: ChannelHandlerContext) {
    guard case .over = state else {
      state = .over
      ready.fail(error)
      return context.close(mode: .all, promise: nil)
    }
  }
}
