import HTTPPolicy
import LoadingModel
import NIOCore

/// One HTTP/2 connection (RFC 9113): the handler of its channel that reads and writes frames, carrying many exchanges at a time.
///
///     new -> open -> leaving -> closed
///     (each state may also go to closed at once)
///
/// What the protocol asks is the `HTTP2Machine`'s business; this type brings its events to the exchanges and its bytes to the socket, all
/// those of one turn of the loop in one write. Owned by the pool; confined to its event loop.
package final class HTTP2Connection: ChannelInboundHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  package typealias InboundIn = ByteBuffer

  enum State {
    case new
    case open
    /// No new streams; those that are open end as they may.
    case leaving
    case closed
  }

  package let id: Int
  package let destination: Destination
  package let timings: ConnectTimings
  package let facts: ConnectionFacts
  /// How its server came to be accepted.
  package let peerAcceptance: PeerAcceptance
  /// Exchanges begun on this connection.
  @exclusivity(unchecked) package private(set) var exchangeCount = 0
  /// Loads to which a stream is promised, and that haven't begun yet; the pool's.
  @exclusivity(unchecked) var reservedStreams = 0

  let clock: any LoadClock
  let session: TLSSessionSlot?
  private weak var owner: (any MultiplexedConnectionOwner)?
  @exclusivity(unchecked) var machine: HTTP2Machine
  @exclusivity(unchecked) var liveness = Liveness()
  @exclusivity(unchecked) private(set) var state = State.new
  @exclusivity(unchecked) private(set) var context: ChannelHandlerContext?
  @exclusivity(unchecked) private var isFlushPlanned = false
  @exclusivity(unchecked) private var isReading = false
  /// Exchanges whose producers wait for room in the socket.
  @exclusivity(unchecked) private var waitingProducers: [HTTP2Stream] = []

  /// Bytes of body that are made into frames before the socket takes them.
  private static let outputLimit = 256 * 1024

  /// - Parameter owner: Who keeps it, if that isn't whoever had it opened.
  init(_ parts: ConnectionParts, _ facts: ConnectionFacts, owner: (any MultiplexedConnectionOwner)? = nil) {
    id = parts.id
    destination = parts.destination
    timings = parts.timings
    clock = parts.clock
    session = parts.session
    peerAcceptance = parts.peerAcceptance
    self.facts = facts
    self.owner = owner ?? parts.owner
    machine = HTTP2Machine(scheme: parts.destination.origin.isSecure ? "https" : "http")
  }

  // MARK: for the pool and the load

  /// Begins an exchange on a stream of its own; to be called while `availableStreams` isn't zero. `body` is sent with the head; it is
  /// all there is if `endsWithBody`.
  /// - Returns: Length of the request's encoded head in bytes.
  package func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
    guard availableStreams > 0 else {
      // A legal race: the server closed the connection, or went away, between lease and start.
      var error = LoadError(.networkConnectionLost, .send, "the server closed the connection before the request was sent")
      error.unprocessed = .refused
      exchange.fail(error)
      return 0
    }
    exchangeCount += 1
    if machine.streams.isEmpty { liveness.restart(exchange.context.lastActivity) }
    let hasBody = (body?.readableBytes ?? 0) > 0
    let (stream, length) = machine.start(exchange, request, endsStream: endsWithBody && !hasBody)
    if let body, hasBody { machine.send(body, stream) }
    if endsWithBody { machine.finish(stream) }
    planFlush()
    if !liveness.isWatching { watch() }
    if machine.nextID < 0 { leave([]) }
    return length
  }

  /// Exchanges that can begin now: none unless the connection is open, and none once the server has announced that it goes away.
  package var availableStreams: Int { isOpen ? machine.availableStreams : 0 }

  /// Exchanges under way.
  package var openStreams: Int { machine.streams.count }

  /// Whether exchanges can begin, now or when others have ended.
  package var isOpen: Bool {
    if case .open = state { true } else { false }
  }

  /// Whether the server takes extended CONNECT, as WebSockets over HTTP/2 need it (RFC 8441).
  package var allowsExtendedConnect: Bool { machine.peer.allowsExtendedConnect }

  /// Closes the connection at once; what is under way fails.
  package func close() {
    guard let context else { return }
    switch state {
    case .open, .leaving:
      machine.output.writeGoAway(.noError)
      flush()
    case .new, .closed: break
    }
    // TLS takes its time to close: nothing may begin or wait meanwhile.
    lose(nil, ChannelError.eof)
    context.close(mode: .all, promise: nil)
  }

  /// Its own address is gone: as if the peer had closed it.
  func losePath() {
    lose(nil, PathLoss())
    context?.close(mode: .all, promise: nil)
  }

  /// Begins nothing more, and closes when what is under way has ended.
  package func shutDown() {
    switch state {
    case .open, .new:
      state = .leaving
      closeIfLeft()
    case .leaving, .closed: break
    }
  }

  // MARK: channel events

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { open(context) }
  }

  package func channelActive(context: ChannelHandlerContext) {
    open(context)
    context.fireChannelActive()
  }

  private func open(_ context: ChannelHandlerContext) {
    guard case .new = state else { return }
    state = .open
    machine.now = clock.now.nanoseconds
    machine.begin()
    flush()
    context.read()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .closed = state { return }
    isReading = true
    liveness.heard(clock.now)
    machine.now = liveness.lastHeard.nanoseconds
    machine.append(unwrapInboundIn(data))
    do throws(HTTP2ConnectionError) {
      while let event = try machine.next() { receive(event) }
    } catch {
      violated(error)
    }
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    machine.creditConnection()
    flush()
    // Memory is bounded by the windows: the connection reads on whoever reads slowly.
    context.read()
    closeIfLeft()
    context.fireChannelReadComplete()
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { flush() }
    context.fireChannelWritabilityChanged()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    lose(session?.alert(in: error), error)
    context.close(mode: .all, promise: nil)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    lose(nil, ChannelError.eof)
    self.context = nil
    context.fireChannelInactive()
  }

  // MARK: events of the machine

  private func receive(_ event: HTTP2Machine.Event) {
    switch event {
    case .data(let stream, let bytes):
      guard let exchange = stream.exchange else { return }
      exchange.context.record.responseBodyBytes += Int64(bytes.readableBytes)
      exchange.context.lastActivity = liveness.lastHeard
      exchange.receive(body: bytes)
      if !exchange.isFull { machine.credit(stream) }
    case .head(let stream, let head, let framing, let length):
      guard let exchange = stream.exchange else { return }
      exchange.context.record.responseStart = liveness.lastHeard
      exchange.context.record.responseHeaderBytes = Int64(length)
      exchange.context.lastActivity = liveness.lastHeard
      exchange.receive(head: head, framing: framing)
    case .informational(let stream, let head):
      stream.exchange?.context.lastActivity = liveness.lastHeard
      stream.exchange?.receive(informational: head)
    case .ended(let stream):
      stream.exchange?.context.record.responseEnd = liveness.lastHeard
      end(stream) { $0.receiveEnd() }
    case .failed(let stream, let error): end(stream) { $0.fail(error) }
    case .goingAway(let refused): leave(refused)
    case .settings: owner?.connectionGainedStreams(self)
    case .pong: liveness.answered()
    }
  }

  private func end(_ stream: HTTP2Stream, _ tell: (Exchange) -> Void) {
    session?.keepTickets()
    stream.exchange?.detach()
    if isOpen { owner?.connectionGainedStreams(self) }
    if let exchange = stream.exchange { tell(exchange) }
  }

  private func leave(_ refused: [HTTP2Stream]) {
    if case .open = state {
      state = .leaving
      owner?.connectionGoesAway(self)
    }
    for stream in refused {
      var error = LoadError(.networkConnectionLost, .head, "the server closed the connection without looking at the request")
      error.unprocessed = .refused
      stream.exchange?.fail(error)
    }
    closeIfLeft()
  }

  private func closeIfLeft() {
    guard case .leaving = state, machine.streams.isEmpty, !isReading else { return }
    close()
  }

  // MARK: the end

  /// The peer has broken the rules (RFC 9113, 5.4.1).
  private func violated(_ violation: HTTP2ConnectionError) {
    guard let context else { return }
    machine.output.writeGoAway(violation.code)
    flush()
    lose(
      LoadError(
        .cannotParseResponse, .head, "the server broke the rules of HTTP/2 (\(violation.code)): \(violation.explanation)"), ChannelError.eof
    )
    context.close(mode: .all, promise: nil)
  }

  /// Gives everything up: with `cause`, or as `error` explains it.
  func lose(_ cause: LoadError?, _ error: any Error) {
    if case .closed = state { return }
    state = .closed
    let streams = machine.removeAll()
    owner?.connectionClosed(self)
    for stream in streams { stream.exchange?.fail(cause ?? failure(of: stream, error)) }
    waitingProducers = []
  }

  private func failure(of stream: HTTP2Stream, _ error: any Error) -> LoadError {
    switch stream.response {
    case .awaitingHead:
      var mapped = TransportErrors.awaitingHead(error, hasBegun: false)
      // Not the first stream: the connection had served before, and may have been closing already.
      mapped.isStaleConnection = mapped.kind == .networkConnectionLost && stream.id > 1
      mapped.hasLostPath = error is PathLoss
      return mapped
    case .body: return TransportErrors.readingBody(error)
    }
  }

  // MARK: writing

  func planFlush() {
    guard !isFlushPlanned, let context else { return }
    isFlushPlanned = true
    context.eventLoop.execute { [self] in
      isFlushPlanned = false
      flush()
    }
  }

  /// Brings to the socket what this turn of the loop has made.
  func flush() {
    guard let context else { return }
    if machine.hasLine, context.channel.isWritable {
      machine.pump(limit: HTTP2Connection.outputLimit)
      liveness.sent(clock.now)
    }
    if machine.output.readableBytes > 0 {
      // Taken out first: writing may change the channel's writability, which comes back here.
      var bytes = ByteBuffer()
      swap(&bytes, &machine.output)
      context.writeAndFlush(NIOAny(bytes), promise: nil)
      reuse(&bytes)
      if machine.hasLine, context.channel.isWritable { planFlush() }
    }
    wakeProducers()
  }

  /// The room of what the socket has taken serves again.
  private func reuse(_ bytes: inout ByteBuffer) {
    guard machine.output.readableBytes == 0 else { return }
    swap(&bytes, &machine.output)
    machine.output.clear(minimumCapacity: 0)
  }

  private func wakeProducers() {
    guard !waitingProducers.isEmpty, context?.channel.isWritable ?? false else { return }
    let waiting = waitingProducers
    waitingProducers = []
    for stream in waiting where stream.isOpen {
      if stream.pending.readableBytes > 0 {
        waitingProducers.append(stream)
      } else {
        stream.isProducerWaiting = false
        stream.exchange?.context.noteActivity()
        stream.exchange?.becameWritable()
      }
    }
  }

  func stream(of exchange: Exchange) -> HTTP2Stream? {
    guard let stream = machine.streams[exchange.streamID], stream.exchange === exchange else { return nil }
    return stream
  }
}

extension HTTP2Connection: ExchangeTransport {
  package var takesFiles: Bool { false }

  package func send(_ bytes: ByteBuffer, of exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.send(bytes, stream)
    planFlush()
  }

  /// Never called: frames stand between the parts of a file.
  package func send(_ part: FilePart, of exchange: Exchange) {}

  package func finish(_ exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.finish(stream)
    planFlush()
  }

  package func demand(_ exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.now = clock.now.nanoseconds
    machine.credit(stream)
    if machine.output.readableBytes > 0 { planFlush() }
  }

  package func cancel(_ exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.cancel(stream)
    planFlush()
    if isOpen { owner?.connectionGainedStreams(self) } else { closeIfLeft() }
  }

  package func priorityChanged(_ exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.output.writePriorityUpdate(stream.id, HTTP2RequestHead.urgency(exchange.context.priority))
    planFlush()
  }

  package func isWritable(_ exchange: Exchange) -> Bool {
    guard let stream = stream(of: exchange), let context else { return true }
    if stream.pending.readableBytes == 0, context.channel.isWritable { return true }
    if !stream.isProducerWaiting {
      stream.isProducerWaiting = true
      waitingProducers.append(stream)
    }
    return false
  }
}

/// Whoever keeps connections that carry many exchanges: told when they can take more, or no more.
///
/// All calls on the event loop; the connection may be asked things, told to close and be given exchanges from within.
package protocol MultiplexedConnectionOwner: AnyObject {
  /// There are more `availableStreams` than before: an exchange has ended, or the server allows more.
  func connectionGainedStreams(_ connection: HTTP2Connection)
  /// No exchange can begin any more; those that the server has taken on go to their ends. `connectionClosed` follows.
  func connectionGoesAway(_ connection: HTTP2Connection)
  /// The connection is gone; its exchanges end now.
  func connectionClosed(_ connection: HTTP2Connection)
}
