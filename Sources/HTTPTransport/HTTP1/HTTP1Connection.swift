import LoadingModel
import NIOCore
import ProtocolRules

/// One HTTP/1.1 connection: the handler of its channel that reads and writes HTTP, carrying one exchange at a time.
///
///     idle -> leased -> exchanging -> closed
///      ^_________________/
///     (each state may also go to closed at once)
///
/// Owned by the pool; confined to its event loop.
package final class HTTP1Connection: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  package typealias InboundIn = ByteBuffer

  enum Progress {
    case awaitingHead
    case body
    case done
  }

  /// One exchange under way.
  struct Current {
    let exchange: Exchange
    let method: String
    /// Others may follow before it is answered.
    var isPipelined = false
    /// Its load is gone: what comes is thrown away.
    var isAbandoned = false
    var isRequestSent = false
    var response = Progress.awaitingHead
    /// Whether both sides let the connection live on (RFC 9112, 9.3).
    var isPersistent = true
  }

  enum State {
    case idle
    /// Promised to a load that hasn't begun its exchange yet.
    case leased
    case exchanging(Current)
    case closed
  }

  /// How much is read from the socket at once.
  private enum Pace {
    case free
    /// Most bytes are taken directly: what is read only tells that there are some.
    case small

    func apply(to options: any NIOSynchronousChannelOptions) {
      switch self {
      case .free:
        try? options.setOption(.recvAllocator, value: SocketDialer.receiveBuffers)
        try? options.setOption(.maxMessagesPerRead, value: 4)
      case .small:
        try? options.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Exchange.directThreshold))
        try? options.setOption(.maxMessagesPerRead, value: 1)
      }
    }
  }

  package let id: Int
  package let destination: Destination
  package let timings: ConnectTimings
  package let facts: ConnectionFacts
  /// How its server came to be accepted; nothing without TLS.
  package let peerAcceptance: PeerAcceptance
  /// Exchanges begun on this connection.
  @exclusivity(unchecked) package internal(set) var exchangeCount = 0
  /// What is under way behind the exchange that is being answered.
  @exclusivity(unchecked) var followers = Followers()

  let clock: any LoadClock
  @exclusivity(unchecked) var writer = RequestWriter()
  @exclusivity(unchecked) var reader = ResponseReader()
  @exclusivity(unchecked) private var pacer = ReadPacer()
  private let session: TLSSessionSlot?
  private(set) weak var owner: (any ConnectionOwner)?
  /// What the server said when it closed a connection that wasn't in use, if it said anything.
  private(set) var refusal: LoadError?
  @exclusivity(unchecked) var state = State.idle
  @exclusivity(unchecked) private var pace = Pace.free {
    didSet { if pace != oldValue, let options = context?.channel.syncOptions { pace.apply(to: options) } }
  }
  @exclusivity(unchecked) private(set) var context: ChannelHandlerContext?

  init(_ parts: ConnectionParts, _ facts: ConnectionFacts) {
    id = parts.id
    destination = parts.destination
    timings = parts.timings
    clock = parts.clock
    session = parts.session
    owner = parts.owner
    peerAcceptance = parts.peerAcceptance
    self.facts = facts
  }

  // MARK: for the pool and the load

  /// Begins an exchange. `body` is sent with the head; it is all there is if `endsWithBody`.
  /// - Returns: Length of the request's head in bytes.
  package func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
    if case .exchanging = state, followers.reserved > 0 { return follow(exchange, request) }
    guard case .leased = state, let context else {
      // A legal race: the peer closed the connection between lease and start.
      exchange.fail(refusal ?? HTTP1Connection.closedBeforeSending)
      return 0
    }
    exchangeCount += 1
    state = .exchanging(
      Current(
        exchange: exchange, method: request.method, isPipelined: request.isPipelined, isRequestSent: endsWithBody,
        isPersistent: !request.closesAfter))
    reader.expectHead()
    let length = writer.begin(request, context)
    if let body { writer.write(body, context) }
    if endsWithBody { writer.end(context) }
    context.flush()
    context.read()
    if request.isPipelined { owner?.connectionTakesFollowers(self) }
    return length
  }

  /// Closes an idle or unfinished connection.
  package func close() { context?.closeAtOnce() }

  /// Its own address is gone: as if the peer had closed it, through no fault of the peer's.
  func losePath() {
    // What has come counts.
    if let context { readHeld(context) }
    switch state {
    case .exchanging(let current):
      state = .closed
      owner?.connectionClosed(self, wasInUse: true)
      current.exchange.fail(failure(current, PathLoss()))
      dropFollowers()
    case .idle, .leased:
      refusal = PathLoss.beforeSending
      closeUnused()
    case .closed: break
    }
    close()
  }

  package var isIdle: Bool {
    if case .idle = state { true } else { false }
  }

  private func markSent() {
    guard case .exchanging(var current) = state else { return }
    current.isRequestSent = true
    state = .exchanging(current)
  }

  // MARK: channel events

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    guard context.channel.isActive else {
      channelInactive(context: context)
      return
    }
    // An outstanding read notices a peer that closes or speaks out of turn.
    context.read()
  }

  package func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .exchanging = state else {
      // What a server sends without having been asked must not be taken for the beginning of the next response.
      return context.closeAtOnce()
    }
    let bytes = unwrapInboundIn(data)
    pacer.note(bytes)
    reader.append(bytes)
    readEvents(context)
    if case .exchanging(let current) = state { current.exchange.heldBytesCame() }
  }

  /// Passes on what has arrived, up to the end of the response.
  private func readEvents(_ context: ChannelHandlerContext) {
    do throws(LoadError) {
      while case .exchanging(let current) = state, !current.exchange.isHeld, let event = try reader.next() {
        switch event {
        case .head(let head, let length): try receive(head, length, current)
        case .body(let bytes) where current.isAbandoned: discard(bytes)
        case .body(let bytes):
          current.exchange.context.record.responseBodyBytes += Int64(bytes.readableBytes)
          current.exchange.receive(body: bytes)
        case .end: receiveEnd(current, context)
        }
      }
    } catch {
      guard case .exchanging(let current) = state else { return }
      end(current, with: error)
      context.closeAtOnce()
    }
  }

  private func receive(_ head: ResponseHead, _ length: Int, _ current: Current) throws(LoadError) {
    if head.isInformational, head.status != 101 {
      reader.expectHead()
      current.exchange.receive(informational: head)
      return
    }
    current.exchange.context.record.responseStart = clock.now
    current.exchange.context.record.responseHeaderBytes = Int64(length)
    // RFC 9110, 15.2.2: behind a 101 comes the other protocol, up to the connection's end.
    let (prospect, webSocket) = (current.exchange.context.prospect, current.exchange.context.webSocket)
    let isSwitched = head.status == 101 && (webSocket != nil || prospect == .upgrade)
    let framing = isSwitched ? .untilClose : try ResponseBodyRules.framing(method: current.method, head: head)
    reader.read(body: framing)
    var current = current
    current.response = .body
    if current.isPipelined { followers.noteProof(head) }
    current.isPersistent =
      current.isPersistent && ResponseBodyRules.keepsConnection(method: current.method, head: head, framing: framing)
    state = .exchanging(current)
    // It serves one load from now on, for as long as that likes: it doesn't count among the host's connections any more.
    if isSwitched { owner?.connectionSwitched(self) }
    // One of several requests has no connection to give away, and what is discarded is of no interest.
    if prospect != .none, !current.isPipelined, !current.isAbandoned { current.exchange.hold() }
    current.exchange.receive(head: head, framing: framing)
  }

  private func receiveEnd(_ current: Current, _ context: ChannelHandlerContext) {
    var current = current
    current.response = .done
    // Bytes behind the end belong to the next response, if one is due.
    if reader.hasSurplus, followers.sent.isEmpty { current.isPersistent = false }
    state = .exchanging(current)
    current.exchange.context.record.responseEnd = clock.now
    finishIfDone(current, context)
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    switch state {
    case .idle, .leased: context.read()
    case .exchanging(let current):
      current.exchange.context.noteActivity()
      if !followers.sent.isEmpty { followers.noteActivity() }
      if !current.exchange.isFull || current.isAbandoned {
        pacer.readOn(context)
      } else if current.isPipelined {
        readerStands()
      }
    case .closed: break
    }
    context.fireChannelReadComplete()
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    if case .exchanging(let current) = state, context.channel.isWritable {
      current.exchange.context.noteActivity()
      current.exchange.becameWritable()
    }
    context.fireChannelWritabilityChanged()
  }

  /// RFC 9112, 9.3: the connection serves again only after a complete response to a completely sent request.
  private func finishIfDone(_ current: Current, _ context: ChannelHandlerContext) {
    guard case .done = current.response else { return }
    current.exchange.detach()
    session?.keepTickets()
    if current.isRequestSent, current.isPersistent, context.channel.isActive {
      pace = .free
      if followers.isEmpty {
        state = .idle
        owner?.connectionBecameIdle(self)
      } else {
        advance()
      }
    } else {
      state = .closed
      context.close(mode: .all, promise: nil)
      owner?.connectionClosed(self, wasInUse: true)
      dropFollowers()
    }
    current.exchange.receiveEnd()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    readHeld(context)
    switch state {
    case .exchanging(let current):
      end(current, with: failure(current, error))
    case .idle, .leased:
      refusal = session?.alert(in: error)
      closeUnused()
    case .closed: break
    }
    context.closeAtOnce()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    readHeld(context)
    switch state {
    case .exchanging(let current) where reader.endsWithConnection: receiveEnd(current, context)
    case .exchanging(let current): end(current, with: failure(current, ChannelError.eof))
    case .idle, .leased: closeUnused()
    case .closed: break
    }
    self.context = nil
    context.fireChannelInactive()
  }

  /// The connection ends: there is none left that could be taken.
  private func readHeld(_ context: ChannelHandlerContext) {
    guard case .exchanging(let current) = state, current.exchange.isHeld else { return }
    current.exchange.unhold()
    readEvents(context)
  }

  private func closeUnused() {
    let wasInUse = !isIdle
    state = .closed
    owner?.connectionClosed(self, wasInUse: wasInUse)
  }

  private func end(_ current: Current, with error: LoadError) {
    state = .closed
    // The server ended it without having said that it would.
    if !followers.sent.isEmpty { owner?.pipelineBroke(self) }
    owner?.connectionClosed(self, wasInUse: true)
    current.exchange.fail(error)
    dropFollowers()
  }

  private func failure(_ current: Current, _ error: any Error) -> LoadError {
    switch current.response {
    case .awaitingHead:
      if let alert = session?.alert(in: error) { return alert }
      var mapped = TransportErrors.awaitingHead(error, hasBegun: !reader.isUntouched)
      let isUnanswered = mapped.kind == .networkConnectionLost && reader.isUntouched
      mapped.isStaleConnection = isUnanswered && exchangeCount > 1
      mapped.isCutOff = isUnanswered && exchangeCount <= 1
      mapped.hasLostPath = error is PathLoss && reader.isUntouched
      return mapped
    case .body, .done:
      return TransportErrors.readingBody(error)
    }
  }

  /// Whatever the method, the next connection will do.
  private static var closedBeforeSending: LoadError {
    var error = LoadError(.networkConnectionLost, .send, "the server closed the connection before the request was sent")
    error.unprocessed = .refused
    return error
  }
}

extension HTTP1Connection: ExchangeTransport {
  package func send(_ bytes: ByteBuffer, of exchange: Exchange) {
    guard isCurrent(exchange), let context else { return }
    writer.write(bytes, context)
    context.flush()
  }

  package func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?) {
    guard isCurrent(exchange), let context else {
      written?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    context.writeAndFlush(NIOAny(bytes), promise: written)
  }

  package var takesFiles: Bool { session == nil && !destination.isWrapped }

  package func send(_ part: FilePart, of exchange: Exchange) {
    guard isCurrent(exchange), let context else { return }
    part.write(context)
    context.flush()
  }

  package func readDirectly(_ exchange: Exchange, atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int {
    guard takesFiles, isCurrent(exchange), let context, let rest = reader.rest, rest > 1 else { return 0 }
    // The last byte stays, and with it all that the end of a body entails.
    let count = Int(min(rest - 1, Int64(limit)))
    guard let taken = context.channel.withSocket({ take($0, count) }), taken > 0 else { return 0 }
    reader.skip(taken)
    exchange.context.record.responseBodyBytes += Int64(taken)
    pace = .small
    if !followers.sent.isEmpty {
      readerStands()
      followers.noteActivity()
    }
    return taken
  }

  package func finish(_ exchange: Exchange) {
    guard isCurrent(exchange), let context else { return }
    markSent()
    writer.end(context)
    context.flush()
    if case .exchanging(let current) = state { finishIfDone(current, context) }
  }

  package func demand(_ exchange: Exchange) {
    guard isCurrent(exchange) else { return }
    readerMoves()
    context?.read()
  }

  package func cancel(_ exchange: Exchange) {
    if isCurrent(exchange) { giveUp() } else { abandonFollower(exchange) }
  }

  package func isWritable(_ exchange: Exchange) -> Bool {
    guard isCurrent(exchange), let context else { return true }
    return context.channel.isWritable
  }

  package func release(_ exchange: Exchange) {
    guard isCurrent(exchange), let context else { return }
    readEvents(context)
    // A connection that has become idle reads as well: that is how it learns of its end.
    if isIdle || (isCurrent(exchange) && !exchange.isFull) { context.read() }
  }

  package func peekHeld(_ exchange: Exchange) -> ByteBuffer? {
    guard isCurrent(exchange), let context else { return ByteBuffer() }
    let first = reader.peekBody()
    if first == nil { context.read() }
    return first
  }

  package func handOver(_ exchange: Exchange) -> StreamConnection? {
    guard case .exchanging(let current) = state, current.exchange === exchange, current.isRequestSent, followers.isEmpty, let context else {
      return nil
    }
    let surplus = reader.takeSurplus()
    let connection = StreamConnection(context.channel, early: surplus.readableBytes > 0 ? [surplus] : [])
    do {
      try context.pipeline.syncOperations.addHandler(connection, position: .after(self))
    } catch {
      return nil
    }
    session?.keepTickets()
    state = .closed
    owner?.connectionClosed(self, wasInUse: true)
    connection.allowHalfClosure()
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    return connection
  }

  private func isCurrent(_ exchange: Exchange) -> Bool {
    if case .exchanging(let current) = state { current.exchange === exchange } else { false }
  }
}

/// The owner of connections: told when one is free or gone.
protocol ConnectionOwner: MultiplexedConnectionOwner {
  /// What the attempt's handshake can ask the app of the load it is made for; nil if there is no delegate to ask.
  func questions(for attempt: ConnectAttempt) -> PeerChallengeHandler?
  /// What the attempt's tunnel is asked for with; nil if no load waits for it.
  func routeAttempt(for attempt: ConnectAttempt) -> RouteAttempt?
  /// There is a socket; the connection isn't ready yet.
  func handshakeBegan(_ handshake: Handshake)
  func connectionBecameIdle(_ connection: HTTP1Connection)
  /// From now on it carries another protocol, for one load: no exchange will follow.
  func connectionSwitched(_ connection: HTTP1Connection)
  /// More requests may be sent on it before those under way are answered, as far as `takesFollower` allows.
  func connectionTakesFollowers(_ connection: HTTP1Connection)
  /// It has ended with requests unanswered that had followed others.
  func pipelineBroke(_ connection: HTTP1Connection)
  func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool)
}
