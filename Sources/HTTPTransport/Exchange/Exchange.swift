import LoadingModel
import NIOCore
import ProtocolRules

/// What an exchange asks of the connection it runs on. HTTP/1 now; other versions implement the same verbs.
///
/// All calls on the connection's event loop.
package protocol ExchangeTransport: AnyObject {
  /// Sends request bytes as body; framing is the transport's.
  func send(_ bytes: ByteBuffer, of exchange: Exchange)
  /// Sends a part of a file as body, without its bytes passing through this process. Only where `takesFiles`.
  func send(_ part: FilePart, of exchange: Exchange)
  /// Whether the system can send a file's bytes by itself: nothing in between, such as TLS, has to see them.
  var takesFiles: Bool { get }
  /// The request body is complete.
  func finish(_ exchange: Exchange)
  /// The reader has room again.
  func demand(_ exchange: Exchange)
  /// Gives the exchange up; the transport decides what becomes of the connection.
  func cancel(_ exchange: Exchange)
  /// Whether `send` would reach the socket rather than pile up.
  func isWritable(_ exchange: Exchange) -> Bool
  /// The response may be read on, which was held behind its head.
  func release(_ exchange: Exchange)
  /// The first bytes of a held response's body, which stay unread; empty if there are none. nil if they have still to come: then they are read
  /// from the socket, and `heldBytesCame` is called.
  func peekHeld(_ exchange: Exchange) -> ByteBuffer?
  /// Lets `take` read body bytes from the connection's socket itself; how many it took. 0 where nothing else than the connection may read.
  func readDirectly(_ exchange: Exchange, atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int
  /// Gives the connection away as it stands behind the response's head; nil if that can't be.
  func handOver(_ exchange: Exchange) -> StreamConnection?
  /// Tells the server how urgent the exchange is now, where the protocol can.
  func priorityChanged(_ exchange: Exchange)
  /// As `send(_:of:)`; `written` succeeds when the system has taken the bytes.
  func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?)
  /// Nothing follows of the protocol that the exchange was switched to, where one direction can end by itself.
  func finishSwitched(_ exchange: Exchange)
}

extension ExchangeTransport {
  package func priorityChanged(_ exchange: Exchange) {}
  package func release(_ exchange: Exchange) {}
  package func peekHeld(_ exchange: Exchange) -> ByteBuffer? { ByteBuffer() }
  package func readDirectly(_ exchange: Exchange, atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int { 0 }
  package func handOver(_ exchange: Exchange) -> StreamConnection? { nil }
  package func finishSwitched(_ exchange: Exchange) {}

  /// Where it can't be told when the system has taken the bytes, it is when they have been queued.
  package func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?) {
    send(bytes, of: exchange)
    written?.succeed()
  }
}

/// One request and its response on a connection: a bounded mailbox between the connection and the load.
///
///     idle -> head -> body chunks -> finished
///        \______\________\_______-> failed
///
/// Owned by the load, referred to by the connection while it is current; confined to the event loop.
package final class Exchange: Interruptible, @unchecked Sendable {
  // @unchecked: confined to the connection's event loop.

  private enum Inbound {
    case open
    case finished
    case failed(LoadError)
  }

  /// Bytes of body that may wait unread before the connection stops reading.
  package static let readAheadLimit = 256 * 1024

  package let context: LoadContext
  @exclusivity(unchecked) private var transport: (any ExchangeTransport)?
  /// Its stream, on a connection that has many; that connection's own.
  @exclusivity(unchecked) var streamID: Int32 = 0
  @exclusivity(unchecked) private var inbound = Inbound.open
  @exclusivity(unchecked) private var head: ResponseHead?
  /// How the response's body is delimited; meaningful once the head is there.
  @exclusivity(unchecked) package private(set) var framing = ResponseBodyFraming.none
  @exclusivity(unchecked) private var informational: [ResponseHead] = []
  @exclusivity(unchecked) private var chunks = CircularBuffer<ByteBuffer>(initialCapacity: 2)
  @exclusivity(unchecked) private var bufferedBytes = 0
  @exclusivity(unchecked) private var reader: UnsafeContinuation<Void, Never>?
  @exclusivity(unchecked) private var writer: UnsafeContinuation<Void, Never>?
  /// The body that waits for the server's word.
  @exclusivity(unchecked) private var expectation: UnsafeContinuation<Void, Never>?
  @exclusivity(unchecked) private var wasContinued = false
  /// Whether the connection reads only when the reader waits: what comes meanwhile is for `readDirectly`.
  @exclusivity(unchecked) private var isPaced = false
  /// Whether nothing behind the head is read before the load asks for the body: the connection itself may be wanted.
  @exclusivity(unchecked) private(set) var isHeld = false
  /// Told when the connection takes bytes again: of a protocol that it was switched to.
  @exclusivity(unchecked) package var whenWritable: (() -> Void)?

  package init(context: LoadContext, transport: any ExchangeTransport) {
    self.context = context
    self.transport = transport
  }

  // MARK: what the load calls

  /// The next informational response, or the final head.
  package func nextHead() async throws(LoadError) -> ResponseHead {
    while true {
      if !informational.isEmpty { return informational.removeFirst() }
      if let head { return head }
      switch inbound {
      case .failed(let error): throw error
      case .finished: throw LoadError(.cannotParseResponse, .head, "the response ended before its head")
      case .open: await waitForInbound()
      }
    }
  }

  /// The next piece of body; nil at its end.
  package func nextChunk() async throws(LoadError) -> ByteBuffer? {
    while true {
      if let chunk = chunks.popFirst() {
        let wasFull = bufferedBytes >= Exchange.readAheadLimit
        bufferedBytes -= chunk.readableBytes
        if wasFull, bufferedBytes < Exchange.readAheadLimit { transport?.demand(self) }
        return chunk
      }
      switch inbound {
      case .failed(let error): throw error
      case .finished: return nil
      case .open where isHeld: readOn()
      case .open:
        if isPaced { transport?.demand(self) }
        await waitForInbound()
      }
    }
  }

  /// Waits for the first bytes of a body that is held and returns them; the body and the connection stay as they are. nil if it isn't held
  /// or not any more, as when the connection has ended; empty if it has no bytes.
  package func peekHeld() async -> ByteBuffer? {
    while isHeld, let transport {
      if let first = transport.peekHeld(self) { return first }
      await waitForInbound()
    }
    return nil
  }

  /// Makes `chunk`, the last one that `nextChunk` returned, the next one again.
  package func putBack(_ chunk: ByteBuffer) {
    chunks.prepend(chunk)
    bufferedBytes += chunk.readableBytes
  }

  /// Pieces of this size or more tell that bytes come faster than they are read: `readDirectly` may find some.
  package static let directThreshold = 64 * 1024

  /// Lets `take` read body bytes that wait in the connection's socket, for a purpose that doesn't need to see them.
  ///
  /// Only where the connection carries them as they are, and their number is known; the body's last byte always comes as a piece.
  /// - Parameter take: Given the socket, which doesn't block, and the number of bytes to take at most; returns how many it has taken.
  /// - Returns: How many were taken. 0 if there are none, or they have to come as pieces.
  package func readDirectly(atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int {
    guard chunks.isEmpty, !isHeld, !context.isSuspended, case .open = inbound, let transport else { return 0 }
    let count = transport.readDirectly(self, atMost: limit, take)
    if count > 0 {
      isPaced = true
      context.noteActivity()
    }
    return count
  }

  /// The connection, as it stands behind the response's head; nil if the body has been begun, or the connection is shared or closed.
  package func handOver() -> StreamConnection? {
    guard isHeld, let connection = transport?.handOver(self) else { return nil }
    unhold()
    transport = nil
    receiveEnd()
    return connection
  }

  private func readOn() {
    unhold()
    transport?.release(self)
  }

  func unhold() {
    isHeld = false
    if context.held === self { context.held = nil }
  }

  package var hasEndedInbound: Bool {
    if case .open = inbound { false } else { true }
  }

  /// Sends body bytes and waits until the socket has taken them in: the producer is tied to real writability.
  package func send(_ bytes: ByteBuffer) async throws(LoadError) {
    try checkOpenForSending()
    guard let transport else { return }
    context.record.requestBodyBytes += Int64(bytes.readableBytes)
    transport.send(bytes, of: self)
    while self.transport != nil, !transport.isWritable(self) {
      await withUnsafeContinuation { writer = $0 }
      try checkOpenForSending()
    }
  }

  /// As `send(_:)`, for a part of a file.
  package func send(_ part: FilePart) async throws(LoadError) {
    try checkOpenForSending()
    guard let transport else { return }
    context.record.requestBodyBytes += Int64(part.range.count)
    transport.send(part, of: self)
    while self.transport != nil, !transport.isWritable(self) {
      await withUnsafeContinuation { writer = $0 }
      try checkOpenForSending()
    }
  }

  /// Whether parts of files can be sent.
  package var takesFiles: Bool { transport?.takesFiles ?? false }

  /// Waits for 100 (Continue), which a server that knows nothing of it never sends: at most `seconds` (RFC 9110, 10.1.1).
  /// - Returns: Whether the body is to be sent: not if the final response is there already, or the exchange is over.
  package func waitForContinue(atMost seconds: Double) async -> Bool {
    if head == nil, acceptsBody, !wasContinued {
      context.clock.wake(at: context.clock.now.advanced(bySeconds: seconds)) { [self] in
        context.eventLoop.execute { [self] in wakeExpectant() }
      }
      await withUnsafeContinuation { expectation = $0 }
    }
    return head == nil && acceptsBody
  }

  /// False once there is no point in sending: the response has ended already.
  package var acceptsBody: Bool { transport != nil && !hasEndedInbound }

  /// Sends bytes of the protocol that the connection was switched to (RFC 9110, 7.8).
  /// - Parameter written: Succeeds when the system has taken them.
  func sendSwitched(_ bytes: ByteBuffer, written: EventLoopPromise<Void>?) {
    guard let transport else {
      written?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    transport.send(bytes, of: self, written: written)
  }

  /// Nothing follows what has been sent by `sendSwitched`.
  func finishSwitched() { transport?.finishSwitched(self) }

  /// Whether `sendSwitched` would reach the socket rather than pile up.
  var isWritable: Bool { transport?.isWritable(self) ?? false }

  package func finishSending() {
    context.record.requestEnd = context.clock.now
    transport?.finish(self)
  }

  package func interrupt(_ error: LoadError) {
    let transport = transport
    fail(error)
    transport?.cancel(self)
  }

  package func suspensionEnded() {
    // At a slower pace bytes are wanted only while the load waits for them.
    if !isFull, !isPaced || reader != nil { transport?.demand(self) }
  }

  package func priorityChanged() { transport?.priorityChanged(self) }

  /// The load needs no more of this exchange.
  package func abandon() {
    // What has come may be all of it: then the connection lives on.
    if isHeld { readOn() }
    guard let transport else { return }
    self.transport = nil
    transport.cancel(self)
    // A body may still be on its way: there is no point in sending the rest.
    wakeWriter()
    wakeExpectant()
  }

  private func checkOpenForSending() throws(LoadError) {
    if case .failed(let error) = inbound { throw error }
  }

  private func waitForInbound() async {
    await withUnsafeContinuation { reader = $0 }
  }

  // MARK: what the connection calls

  package func receive(informational head: ResponseHead) {
    // A bound on a peer that sends nothing but 1xx: older unread ones are dropped.
    if informational.count >= 16 { informational.removeFirst() }
    informational.append(head)
    if head.status == 100 {
      wasContinued = true
      wakeExpectant()
    }
    wakeReader()
  }

  package func receive(head: ResponseHead, framing: ResponseBodyFraming) {
    self.head = head
    self.framing = framing
    wakeReader()
    wakeExpectant()
  }

  package func receive(body: ByteBuffer) {
    guard case .open = inbound else { return }
    bufferedBytes += body.readableBytes
    if !mergeIntoLast(body) { chunks.append(body) }
    wakeReader()
  }

  /// Pieces up to this size become one while they wait: each costs its reader, and the app behind it, more than the copy.
  private static let mergeLimit = readAheadLimit

  private func mergeIntoLast(_ body: ByteBuffer) -> Bool {
    guard let waiting = chunks.last?.readableBytes, waiting + body.readableBytes <= Exchange.mergeLimit else { return false }
    // Taken out, so that nothing else refers to it while it is written to.
    var last = chunks.removeLast()
    if last.writableBytes < body.readableBytes {
      // The first piece is a part of what was read from the socket, all of which it would keep.
      let length = waiting + body.readableBytes
      var room = ByteBufferAllocator().buffer(capacity: length < 8192 ? length * 4 : Exchange.mergeLimit)
      room.writeImmutableBuffer(last)
      last = room
    }
    last.writeImmutableBuffer(body)
    chunks.append(last)
    return true
  }

  package func receiveEnd() {
    guard case .open = inbound else { return }
    inbound = .finished
    wakeReader()
    wakeWriter()
  }

  /// The socket has brought bytes: some of a held body may be among them.
  func heldBytesCame() { if isHeld { wakeReader() } }

  /// The head is here; what is behind it waits.
  func hold() {
    isHeld = true
    context.held = self
  }

  /// The connection is done with this exchange and may serve another.
  package func detach() { transport = nil }

  package func fail(_ error: LoadError) {
    guard case .open = inbound else { return }
    inbound = .failed(error)
    transport = nil
    if isHeld { unhold() }
    wakeReader()
    wakeWriter()
    wakeExpectant()
  }

  package func becameWritable() {
    wakeWriter()
    whenWritable?()
  }

  /// Whether the connection must not read on.
  package var isFull: Bool {
    bufferedBytes >= Exchange.readAheadLimit || isHeld || context.isSuspended || (isPaced && bufferedBytes > 0)
  }

  private func wakeReader() {
    guard let reader else { return }
    self.reader = nil
    reader.resume()
  }

  private func wakeExpectant() {
    guard let expectation else { return }
    self.expectation = nil
    expectation.resume()
  }

  private func wakeWriter() {
    guard let writer else { return }
    self.writer = nil
    writer.resume()
  }
}
