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
  // `@exclusivity(unchecked)`: that loop excludes accesses by other threads, and no call that modifies one of these properties accesses it
  // again before it returns; the check would cost a call of the runtime at each access on the way of every byte.
  package typealias InboundIn = ByteBuffer

  package let id: Int
  package let destination: Destination
  package let timings: ConnectTimings
  package let facts: ConnectionFacts
  /// Why the server was accepted: by the trust evaluation, or by a delegate against it. Empty without TLS.
  package let peerAcceptance: PeerAcceptance
  /// Exchanges begun on this connection.
  @exclusivity(unchecked) package internal(set) var exchangeCount = 0
  /// The pipelined requests behind the exchange whose response is being received.
  @exclusivity(unchecked) var followers = Followers()

  let clock: any LoadClock
  @exclusivity(unchecked) var writer = RequestWriter()
  @exclusivity(unchecked) var reader = ResponseReader()
  @exclusivity(unchecked) private var pacer = ReadPacer()
  @exclusivity(unchecked) var socket = KnownSocket()
  let session: TLSSessionSlot?
  weak var owner: (any HTTP1ConnectionOwner)?
  /// The error for a load that leased the connection but can't begin: the server's TLS alert, or the loss of the local address. nil if the server
  /// just closed it.
  var refusal: LoadError?
  /// Whether the connection is closed once the loads that have leased it are served (`ConnectionPool.closeIdle`).
  var isRetired = false
  @exclusivity(unchecked) var state = State.idle
  @exclusivity(unchecked) var pace = Pace.free {
    didSet { if pace != oldValue, let options = context?.channel.syncOptions { pace.apply(to: options) } }
  }
  @exclusivity(unchecked) var context: ChannelHandlerContext?
  /// Why writing the request failed; noted for responses whose body ends with the connection, to tell its regular end from an abort.
  var writeFailure: (any Error)?

  init(_ parts: ConnectionParts, _ facts: ConnectionFacts, owner: (any HTTP1ConnectionOwner)?) {
    id = parts.id
    destination = parts.destination
    timings = parts.timings
    clock = parts.clock
    session = parts.session
    self.owner = owner
    peerAcceptance = parts.peerAcceptance
    self.facts = facts
  }

  // MARK: for the pool and the load

  /// Begins an exchange. `body` is sent with the head; `endsWithBody` says that no more body follows.
  /// - Returns: Length of the request's head in bytes.
  package func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
    if case .exchanging = state, followers.reserved > 0 { return follow(exchange, request) }
    guard case .leased = state, let context else {
      // The peer closed the connection after the load leased it and before this call: the request can be sent on another connection.
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
    if endsWithBody { writer.end(HeaderFields(), context) }
    context.flush()
    context.read()
    if request.isPipelined { owner?.connectionTakesFollowers(self) }
    return length
  }

  package var isIdle: Bool {
    if case .idle = state { true } else { false }
  }

  func markSent() {
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
    // A read is always outstanding while the connection is idle, so that closing by the peer, or unsolicited bytes, are noticed.
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
    guard case .exchanging(let current) = state else { return }
    current.exchange.heldBytesCame()
    if let observer = current.exchange.context.observer, let length = reader.begunHead { observer.took(.headBegan(bytes: length)) }
  }

  /// Parses the bytes that have arrived and passes head, body and end to the exchange; stops behind the head of a held response.
  func readEvents(_ context: ChannelHandlerContext) {
    do throws(LoadError) {
      while case .exchanging(let current) = state, !current.exchange.isHeld, let event = try reader.next() {
        switch event {
        case .head(let head, let length): try receive(head, length, current)
        case .body(let bytes) where current.isAbandoned: discard(bytes)
        case .body(let bytes):
          current.exchange.context.record.responseBodyBytes += Int64(bytes.readableBytes)
          current.exchange.receive(body: bytes)
        case .end(let trailers):
          if !trailers.isEmpty { current.exchange.context.record.trailers = TrailerRules.kept(trailers) }
          receiveEnd(current, context)
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
    let use = current.exchange.context.terms.use
    let isSwitched = head.status == 101 && use.switchesProtocol
    let framing = isSwitched ? .untilClose : try ResponseBodyRules.framing(method: current.method, head: head)
    reader.read(body: framing)
    var current = current
    current.response = .body
    if current.isPipelined { followers.noteProof(head) }
    current.isPersistent =
      current.isPersistent && ResponseBodyRules.keepsConnection(method: current.method, head: head, framing: framing)
    state = .exchanging(current)
    // A switched connection serves one load for an unlimited time: the pool doesn't count it among the host's connections any more.
    if isSwitched { owner?.connectionSwitched(self) }
    if reader.endsWithConnection, !isSwitched, let context, !current.isRequestSent || bufferedBytes > 0 { watchWrites(context) }
    // A response with other requests pipelined can't hand over its connection, and a discarded one isn't wanted.
    if use.holdsBody, !current.isPipelined, !current.isAbandoned { current.exchange.hold() }
    current.exchange.receive(head: head, framing: framing)
  }

  private func receiveEnd(_ current: Current, _ context: ChannelHandlerContext) {
    var current = current
    current.response = .done
    // Bytes behind the response's end belong to the next pipelined response; without one they are an error, and the connection isn't kept.
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
  func finishIfDone(_ current: Current, _ context: ChannelHandlerContext) {
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
    case .exchanging(let current) where endsBody: receiveEnd(current, context)
    case .exchanging(let current): end(current, with: failure(current, writeFailure ?? ChannelError.eof))
    case .idle, .leased: closeUnused()
    case .closed: break
    }
    self.context = nil
    context.fireChannelInactive()
  }
}
