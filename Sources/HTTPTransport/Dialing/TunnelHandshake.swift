import LoadingModel
import NIOCore
import NIOTLS
import ProtocolRules

/// Opens a tunnel through a proxy: a handler of the channel until the proxy has connected to the origin.
///
///     (securing ->) ready -> asking -> over
///                     ^       v
///                     +--- refused
///
/// A refusal can be answered on the same connection, where that is asked for and the proxy keeps it open.
///
/// Owned by its channel; confined to the event loop.
final class TunnelHandshake: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  // @unchecked: made on, and confined to, the channel's event loop.
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Seconds that a proxy has for each answer on the way to a tunnel.
  static let patience = 75.0
  /// The same where there are other routes: less than a load waits by default, so that it can try one of them.
  static let patienceBeforeOthers = 30.0

  /// What is sent to the proxy.
  enum Method {
    case connect(ResponseReader, proxy: Proxy)
    case socks(SOCKSHandshake)
  }

  /// What becomes of a 407.
  enum Refusal {
    /// It is the end.
    case ends
    /// The caller may ask again.
    case mayBeAnswered
  }

  enum Answer: Sendable {
    /// The tunnel is open; the head is that of the proxy's answer, where it speaks HTTP.
    case open(ResponseHead?)
    case refused(ResponseHead)
  }

  private enum State {
    /// TLS to the proxy comes first.
    case securing
    /// Nothing is asked at the moment.
    case ready
    case asking
    /// The rest of a refusal has to be read, of which this many bytes have been.
    case refused(ResponseHead, read: Int)
    case over
  }

  /// 1xx responses to CONNECT.
  private static let informationalLimit = 16
  /// Bytes of a refusal that are read for the sake of its connection.
  private static let refusalLimit = 1 << 20

  private let security: TLSSessionSlot?
  /// What is tunnelled to.
  private let origin: Origin
  private let refusal: Refusal
  private var method: Method
  private var state: State
  private(set) var questionCount = 0
  private var question: (bytes: ByteBuffer, answer: EventLoopPromise<Answer>)?
  private var failure: LoadError?
  private var informational = 0
  /// Bytes that the origin of a stream has sent already.
  private var greeting = ByteBuffer()
  private var context: ChannelHandlerContext?

  /// - Parameter security: The TLS on the way to the proxy; nil if there is none.
  init(_ method: Method, to origin: Origin, security: TLSSessionSlot?, refusal: Refusal = .ends) {
    self.method = method
    self.origin = origin
    self.security = security
    self.refusal = refusal
    state = security == nil ? .ready : .securing
  }

  /// Sends `bytes`, as soon as there is TLS if there is to be. One question at a time.
  func ask(_ bytes: ByteBuffer) async throws -> Answer {
    guard let context, failure == nil else { throw failure ?? TunnelHandshake.closed }
    let answer = context.eventLoop.makePromise(of: Answer.self)
    question = (bytes, answer)
    questionCount += 1
    if case .ready = state { send(context) }
    return try await answer.futureResult.get()
  }

  private func send(_ context: ChannelHandlerContext) {
    guard let question else { return }
    state = .asking
    if case .connect(var reader, let proxy) = method {
      reader.expectHead()
      method = .connect(reader, proxy: proxy)
    }
    context.writeAndFlush(NIOAny(question.bytes), promise: nil)
  }

  /// Gives up, unless it has come to an end.
  func giveUp(_ error: LoadError) {
    guard let context, question != nil else { return }
    fail(error, context)
  }

  // MARK: channel events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    guard context.channel.isActive else { return channelInactive(context: context) }
    context.read()
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent, case .securing = state {
      state = .ready
      security?.handshakeEnded()
      send(context)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    do throws(LoadError) {
      switch state {
      case .asking, .refused:
        if let answer = try receive(unwrapInboundIn(data), context) { settle(answer, context) }
      case .ready: throw TunnelHandshake.outOfTurn
      case .securing, .over: break
      }
    } catch {
      fail(error, context)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    switch state {
    case .securing, .ready, .asking, .refused: context.read()
    case .over: break
    }
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .securing = state, let security { return fail(security.explain(error), context) }
    fail(TransportErrors.connecting(error), context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(TunnelHandshake.closed, context)
    context.fireChannelInactive()
  }

  // MARK: the method

  /// What the proxy has answered; nil if more must come.
  private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) throws(LoadError) -> Answer? {
    switch method {
    case .socks(var socks):
      let step = try socks.receive(bytes.readableBytesView)
      if case .send(let answer) = step { context.writeAndFlush(NIOAny(ByteBuffer(bytes: answer)), promise: nil) }
      if step == .open, origin.isStream { greeting = ByteBuffer(bytes: socks.takeGreeting()) }
      method = .socks(socks)
      return step == .open ? .open(nil) : nil
    case .connect(var reader, let proxy):
      reader.append(bytes)
      defer { method = .connect(reader, proxy: proxy) }
      while let event = try reader.next() {
        switch event {
        case .head(let head, _): if let answer = try receive(head, &reader, proxy) { return answer }
        case .body(let piece): try skip(piece, proxy)
        case .end:
          guard case .refused(let head, _) = state else { continue }
          guard !reader.hasSurplus else { throw TunnelHandshake.outOfTurn }
          return .refused(head)
        }
      }
      return nil
    }
  }

  private func receive(_ head: ResponseHead, _ reader: inout ResponseReader, _ proxy: Proxy) throws(LoadError) -> Answer? {
    guard !head.isInformational else {
      informational += 1
      guard informational <= TunnelHandshake.informationalLimit else { throw TunnelHandshake.outOfTurn }
      reader.expectHead()
      return nil
    }
    if let refusal = ConnectRules.refusal(head, by: proxy) {
      guard case .mayBeAnswered = self.refusal, let framing = try ConnectRules.framingOfAnswerable(head) else { throw refusal }
      state = .refused(head, read: 0)
      reader.read(body: framing)
      return nil
    }
    if origin.isStream { greeting = reader.takeSurplus() }
    // In HTTP it is the client that sends first. RFC 9110, 9.3.6: a 2xx has no content, whatever its fields say.
    guard !reader.hasSurplus else { throw TunnelHandshake.outOfTurn }
    return .open(head)
  }

  private func skip(_ piece: ByteBuffer, _ proxy: Proxy) throws(LoadError) {
    guard case .refused(let head, let read) = state else { return }
    state = .refused(head, read: read + piece.readableBytes)
    if read + piece.readableBytes > TunnelHandshake.refusalLimit {
      throw ConnectRules.refusal(head, by: proxy) ?? TunnelHandshake.outOfTurn
    }
  }

  private static var closed: LoadError {
    LoadError(.cannotConnectToHost, .connect, "it closed the connection without opening a tunnel")
  }

  private static var outOfTurn: LoadError {
    var error = LoadError(.cannotConnectToHost, .connect, "its answer to CONNECT says more than it should")
    error.proxy = ProxyFault(.connectAnswer)
    return error
  }

  private func settle(_ answer: Answer, _ context: ChannelHandlerContext) {
    let promise = question?.answer
    question = nil
    guard case .open = answer else {
      state = .ready
      promise?.succeed(answer)
      return
    }
    state = .over
    security?.keepTickets()
    if greeting.readableBytes > 0 { context.fireChannelRead(NIOAny(greeting)) }
    context.pipeline.syncOperations.removeHandler(context: context).whenComplete { _ in promise?.succeed(answer) }
  }

  private func fail(_ error: LoadError, _ context: ChannelHandlerContext) {
    guard case .over = state else {
      state = .over
      failure = error
      question?.answer.fail(error)
      question = nil
      return context.close(mode: .all, promise: nil)
    }
  }
}
