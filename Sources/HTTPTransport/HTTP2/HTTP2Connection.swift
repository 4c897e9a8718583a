import LoadingModel
import NIOCore
import ProtocolRules

/// One HTTP/2 connection (RFC 9113): the handler of its channel that reads and writes frames, carrying many exchanges at a time.
///
///     new -> open -> leaving -> closed
///     (each state may also go to closed at once)
///
/// The `HTTP2Machine` implements the protocol; this type brings its events to the exchanges and its bytes to the socket, all
/// those of one turn of the loop in one write. Owned by the pool; confined to its event loop.
package final class HTTP2Connection: ChannelInboundHandler, MultiplexedConnection, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  // `@exclusivity(unchecked)`: that loop excludes accesses by other threads, and no call that modifies one of these properties accesses it
  // again before it returns: the machine knows nothing of its connection. The check would cost a call of the runtime at each access on the
  // way of every byte.
  package typealias InboundIn = ByteBuffer

  enum State {
    case new
    case open
    /// No new streams are opened (GOAWAY or `shutDown`); open ones run to their ends.
    case leaving
    case closed
  }

  package let id: Int
  package let destination: Destination
  package let timings: ConnectTimings
  package let facts: ConnectionFacts
  /// Why the server was accepted: by the trust evaluation, or by a delegate against it.
  package let peerAcceptance: PeerAcceptance
  /// Exchanges begun on this connection.
  @exclusivity(unchecked) package private(set) var exchangeCount = 0
  /// Whether any exchange has had a response.
  @exclusivity(unchecked) package internal(set) var hasAnswered = false
  /// The number of loads that the pool has promised a stream and that haven't begun their exchange yet. Set by the pool.
  @exclusivity(unchecked) package var reservedStreams = 0

  let clock: any LoadClock
  let session: TLSSessionSlot?
  private(set) weak var owner: (any MultiplexedConnectionOwner)?
  @exclusivity(unchecked) var machine: HTTP2Machine
  @exclusivity(unchecked) var liveness = Liveness()
  @exclusivity(unchecked) var state = State.new
  @exclusivity(unchecked) private(set) var context: ChannelHandlerContext?
  @exclusivity(unchecked) var isFlushPlanned = false
  @exclusivity(unchecked) private(set) var isReading = false
  @exclusivity(unchecked) private var pacer = ReadPacer()
  @exclusivity(unchecked) var socket = KnownSocket()
  /// Streams whose request body waits until the socket and the stream's window have taken what was sent.
  @exclusivity(unchecked) var waitingProducers: [HTTP2Stream] = []
  /// The promises of `send(_:of:written:)`, which succeed once the stream's bytes have been put into frames.
  @exclusivity(unchecked) var unwritten: [(stream: HTTP2Stream, written: EventLoopPromise<Void>)] = []

  init(_ parts: ConnectionParts, _ facts: ConnectionFacts, owner: (any MultiplexedConnectionOwner)?) {
    id = parts.id
    destination = parts.destination
    timings = parts.timings
    clock = parts.clock
    session = parts.session
    peerAcceptance = parts.peerAcceptance
    self.facts = facts
    self.owner = owner
    machine = HTTP2Machine(scheme: parts.destination.origin.isSecure ? "https" : "http")
  }

  // MARK: for the pool and the load

  /// Begins an exchange on a stream of its own; to be called while `availableStreams` isn't zero. `body` is sent with the head; `endsWithBody` says
  /// that no more body follows.
  /// - Returns: Length of the request's encoded head in bytes.
  package func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
    guard availableStreams > 0 else {
      exchange.fail(TransportErrors.notSent(hasAnswered: hasAnswered))
      // The stream that was promised to this load isn't used: the pool may give it to another one.
      if isOpen { owner?.connectionGainedStreams(self) }
      return 0
    }
    exchangeCount += 1
    liveness.began(exchange.context.lastActivity, isAlone: machine.streams.isEmpty)
    let hasBody = (body?.readableBytes ?? 0) > 0
    let (stream, length) = machine.start(exchange, request, endsStream: endsWithBody && !hasBody)
    if let body, hasBody { machine.send(body, stream) }
    if endsWithBody { machine.finish(stream) }
    planFlush()
    if !liveness.isWatching { watch() }
    if machine.nextID < 0 { leave([]) }
    return length
  }

  /// Exchanges that can begin now: none unless the connection is open, and none once the server has sent GOAWAY.
  package var availableStreams: Int { isOpen ? machine.availableStreams : 0 }

  /// Exchanges under way.
  package var openStreams: Int { machine.streams.count }

  package var maximumStreams: Int { machine.peer.maximumStreams }

  package var protocolName: String { "h2" }

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
    // Exchanges fail before the channel is closed, as closing TLS takes time, in which none may begin or wait.
    lose(nil, ChannelError.eof)
    context.close(mode: .all, promise: nil)
  }

  /// Ends the connection if its own local address is among `addresses`, which have left the machine. Not with Multipath TCP, which has other paths.
  package func pathsVanished(_ addresses: Set<String>) {
    guard facts.isLost(with: addresses) else { return }
    lose(nil, PathLoss())
    context?.closeAtOnce()
  }

  package func vouches(for host: String) -> Bool { session?.vouches(for: host) ?? false }

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
    let bytes = unwrapInboundIn(data)
    pacer.note(bytes)
    machine.append(bytes)
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
    // Memory is bounded by the windows: the connection reads on although some streams are read slowly.
    pacer.readOn(context)
    closeIfLeft()
    context.fireChannelReadComplete()
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { flush() }
    context.fireChannelWritabilityChanged()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    lose(session?.alert(in: error), error)
    context.closeAtOnce()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    lose(nil, ChannelError.eof)
    self.context = nil
    context.fireChannelInactive()
  }
}
