import LoadingModel
import NIOCore
import NIOTLS
import ProtocolRules

/// Opens a tunnel through a proxy by CONNECT or SOCKS: a channel handler that removes itself once the proxy has connected to the origin.
///
/// (securing ->) ready -> asking -> over
/// ^       v
/// +--- refused
///
/// A 407 can be answered on the same connection, if the caller wants that (`Refusal.mayBeAnswered`) and the proxy keeps it open.
///
/// Owned by its channel; confined to the event loop.
final class TunnelHandshake: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  // @unchecked: made on, and confined to, the channel's event loop.
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Seconds that a proxy has for each answer on the way to a tunnel.
  static let patience = 75.0
  /// The limit in place of `patience` if the load has other routes to try: less than a load's default timeout of 60 seconds.
  static let patienceBeforeOthers = 30.0

  /// The protocol by which the tunnel is opened.
  enum Method {
    case connect(ResponseReader, proxy: Proxy)
    case socks(SOCKSHandshake)
  }

  /// What a proxy's 407 (Proxy Authentication Required) leads to.
  enum Refusal {
    /// The tunnel fails.
    case ends
    /// The caller is given the 407 and may send another CONNECT.
    case mayBeAnswered
  }

  enum Answer: Sendable {
    /// The tunnel is open. The head is that of the proxy's 2xx to CONNECT; nil for SOCKS.
    case open(ResponseHead?)
    case refused(ResponseHead)
  }

  private enum State {
    /// The TLS handshake with the proxy is under way.
    case securing
    /// No question is under way: the caller can send one.
    case ready
    case asking
    /// The body of a 407 is read to its end, so that the connection can be used again; `read` bytes of it have been.
    case refused(ResponseHead, read: Int)
    case over
  }

  /// The most 1xx responses to CONNECT that are accepted.
  private static let informationalLimit = 16
  /// The most bytes of a 407's body that are read to keep its connection.
  private static let refusalLimit = 1 << 20

  private let security: TLSSessionSlot?
  /// The origin to which the tunnel leads.
  private let origin: Origin
  private let refusal: Refusal
  /// The `RouteAttempt.showing` of the credentials that are sent to the proxy; 0 for none. A refusal says to which load's credentials it is the answer.
  private let shown: Int
  private var method: Method
  private var state: State
  private(set) var questionCount = 0
  private var question: (bytes: ByteBuffer, answer: EventLoopPromise<Answer>)?
  private var failure: LoadError?
  private var informational = 0
  /// Bytes that arrived behind the proxy's answer: the first of a server whose protocol lets the server send first (stream tasks, FTP).
  private var greeting = ByteBuffer()
  private var context: ChannelHandlerContext?

  /// - Parameter security: The TLS on the way to the proxy; nil if there is none.
  init(_ method: Method, to origin: Origin, security: TLSSessionSlot?, refusal: Refusal = .ends, shown: Int = 0) {
    self.method = method
    self.origin = origin
    self.security = security
    self.refusal = refusal
    self.shown = shown
    state = security == nil ? .ready : .securing
  }

  /// Sends `bytes` to the proxy, after the TLS handshake if there is one, and waits for the answer. One question at a time.
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

  /// Fails the question under way with `error` and closes the channel; does nothing if none is.
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

  // MARK: the protocol's answers

  /// Parses bytes from the proxy. Returns its answer once that is complete; nil if more bytes are needed.
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
    if let refusal = ConnectRules.refusal(head, by: proxy, shown: shown) {
      guard case .mayBeAnswered = self.refusal, let framing = try ConnectRules.framingOfAnswerable(head) else { throw refusal }
      state = .refused(head, read: 0)
      reader.read(body: framing)
      return nil
    }
    if origin.isStream { greeting = reader.takeSurplus() }
    // In HTTP the client sends first, so bytes behind the 2xx are an error: a 2xx to CONNECT has no content, whatever its fields say (RFC 9110,
    // 9.3.6).
    guard !reader.hasSurplus else { throw TunnelHandshake.outOfTurn }
    return .open(head)
  }

  private func skip(_ piece: ByteBuffer, _ proxy: Proxy) throws(LoadError) {
    guard case .refused(let head, let read) = state else { return }
    state = .refused(head, read: read + piece.readableBytes)
    if read + piece.readableBytes > TunnelHandshake.refusalLimit {
      throw ConnectRules.refusal(head, by: proxy, shown: shown) ?? TunnelHandshake.outOfTurn
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
