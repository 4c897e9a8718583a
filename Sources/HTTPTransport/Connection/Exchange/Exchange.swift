import LoadingModel
import NIOCore
import ProtocolRules

/// One request and its response on a connection: a bounded mailbox between the connection and the load.
///
///     idle -> head -> body chunks -> finished
///        \______\________\_______-> failed
///
/// Owned by the load, referred to by the connection while it is current; confined to the event loop.
package final class Exchange: Interruptible, @unchecked Sendable {
  // @unchecked: confined to the connection's event loop, which is the load's.
  // `@exclusivity(unchecked)`: that loop excludes accesses by other threads, and no call that modifies one of these properties accesses it
  // again before it returns; the check would cost a call of the runtime at each access on the way of every byte.

  enum Inbound {
    case open
    case finished
    case failed(LoadError)
  }

  /// Bytes of body that may wait unread before the connection stops reading.
  package static let readAheadLimit = 256 * 1024

  package let context: LoadContext
  @exclusivity(unchecked) var transport: (any ExchangeTransport)?
  /// The exchange's stream number on an HTTP/2 or HTTP/3 connection, which alone uses it; 0 on HTTP/1.1.
  @exclusivity(unchecked) var streamID: Int32 = 0
  @exclusivity(unchecked) var inbound = Inbound.open
  @exclusivity(unchecked) var head: ResponseHead?
  /// How the response's body is delimited; meaningful once the head is there.
  @exclusivity(unchecked) package private(set) var framing = ResponseBodyFraming.none
  @exclusivity(unchecked) private var informational: [ResponseHead] = []
  @exclusivity(unchecked) private var chunks = PieceLine()
  @exclusivity(unchecked) private var bufferedBytes = 0
  @exclusivity(unchecked) private var reader: UnsafeContinuation<Void, Never>?
  @exclusivity(unchecked) var writer: UnsafeContinuation<Void, Never>?
  /// Resumes the request's body, which waits for 100 (Continue).
  @exclusivity(unchecked) var expectation: UnsafeContinuation<Void, Never>?
  @exclusivity(unchecked) var wasContinued = false
  /// Called once when sending more of the body has become useless: ends a body whose producer waits for the app.
  @exclusivity(unchecked) package var whenSendingEnds: (() -> Void)?
  /// Whether the connection reads from its socket only while the load waits for body: between, bytes stay in the socket for `readDirectly`.
  @exclusivity(unchecked) private var isPaced = false
  /// Whether bytes behind the response's head stay unread until the load asks for the body: the load may want to take over the connection.
  @exclusivity(unchecked) private(set) var isHeld = false
  /// Called when the connection is writable again, for the protocol that it was switched to.
  @exclusivity(unchecked) package var whenWritable: (() -> Void)?

  package init(context: LoadContext, transport: any ExchangeTransport) {
    self.context = context
    self.transport = transport
  }

  // MARK: what the load calls

  /// The next informational response, or else the final head; nil if neither has come: then wait by `resumeReader` and ask again.
  package func takeHead() throws(LoadError) -> ResponseHead? {
    if !informational.isEmpty { return informational.removeFirst() }
    if let head { return head }
    switch inbound {
    case .failed(let error): throw error
    case .finished: throw LoadError(.cannotParseResponse, .head, "the response ended before its head")
    case .open: return nil
    }
  }

  /// Resumes `continuation` once when anything has been received, or the response has ended or failed.
  package func resumeReader(_ continuation: UnsafeContinuation<Void, Never>) { reader = continuation }

  /// The next piece of the response's body; nil if none has been received.
  package func takeChunk() -> ByteBuffer? {
    guard let chunk = chunks.popFirst() else { return nil }
    let wasFull = bufferedBytes >= Exchange.readAheadLimit
    bufferedBytes -= chunk.readableBytes
    if wasFull, bufferedBytes < Exchange.readAheadLimit { transport?.demand(self) }
    return chunk
  }

  /// Whether the response has been received to its end; the body ends once `takeChunk` returns nil. Throws if the exchange has failed.
  package func isAtEnd() throws(LoadError) -> Bool {
    switch inbound {
    case .failed(let error): throw error
    case .finished: true
    case .open: false
    }
  }

  /// Waits for the next piece of the response's body; nil at the body's end.
  package func nextChunk() async throws(LoadError) -> ByteBuffer? {
    while true {
      if let chunk = takeChunk() { return chunk }
      if try isAtEnd() { return nil }
      if isHeld {
        readOn()
        continue
      }
      if isPaced { transport?.demand(self) }
      await waitForInbound()
    }
  }

  /// Waits for the first bytes of a body that is held (`isHeld`) and returns them, without consuming them. Empty if the body has no bytes; nil if it
  /// isn't held, or stops being held while waiting, as when the connection fails.
  package func peekHeld() async -> ByteBuffer? {
    while isHeld, let transport {
      if let first = transport.peekHeld(self) { return first }
      await waitForInbound()
    }
    return nil
  }

  /// Puts `chunk`, which `nextChunk` has just returned, back as the next one to be returned.
  package func putBack(_ chunk: ByteBuffer) {
    chunks.prepend(chunk)
    bufferedBytes += chunk.readableBytes
  }

  /// If `nextChunk` returns a piece of at least this size, bytes arrive faster than they are read: `readDirectly` may find some in the socket.
  package static let directThreshold = 64 * 1024

  /// Lets `take` read body bytes directly from the connection's socket, for a use that needn't see them (splice into a file).
  ///
  /// Works only where the body isn't encoded on the connection and its length is known; the body's last byte always comes by `nextChunk`.
  /// - Parameter take: Given the non-blocking socket and the most bytes to take; returns how many it has taken.
  /// - Returns: The number of bytes taken; 0 if none are there, or the next ones have to be read by `nextChunk`.
  package func readDirectly(atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int {
    guard chunks.isEmpty, !isHeld, !context.isSuspended, case .open = inbound, let transport else { return 0 }
    let count = transport.readDirectly(self, atMost: limit, take)
    if count > 0 {
      isPaced = true
      context.noteActivity()
    }
    return count
  }

  /// Detaches the connection, positioned behind the response's head, for the app's own use; nil if the body isn't held, or the connection is
  /// multiplexed or closed.
  package func handOver() -> (any StreamSource)? {
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
  }

  package var hasEndedInbound: Bool {
    if case .open = inbound { false } else { true }
  }

  package func interrupt(_ error: LoadError) {
    let transport = transport
    fail(error)
    transport?.cancel(self)
  }

  package func suspensionEnded() {
    // A paced exchange (`isPaced`) reads only while the load waits for body.
    if !isFull, !isPaced || reader != nil { transport?.demand(self) }
  }

  package func priorityChanged() { transport?.priorityChanged(self) }

  /// The load doesn't need this exchange any more: the transport cancels it, and keeps the connection if the response was complete.
  package func abandon() {
    // The rest of a held response may have arrived already: reading it lets the connection be kept.
    if isHeld { readOn() }
    guard let transport else { return }
    self.transport = nil
    transport.cancel(self)
    // A request body may still be in the middle of being sent: its producer stops waiting.
    endSending()
    wakeExpectant()
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
    context.contents?.received(encoded: body)
    bufferedBytes += body.readableBytes
    if !mergeIntoLast(body) { chunks.append(body) }
    wakeReader()
  }

  /// A piece of body is merged into the last unread one up to this size: handing each to the app separately costs more than the copy.
  private static let mergeLimit = readAheadLimit

  private func mergeIntoLast(_ body: ByteBuffer) -> Bool {
    guard let waiting = chunks.last?.readableBytes, waiting + body.readableBytes <= Exchange.mergeLimit else { return false }
    // Removed from the line while it is written to: with a second reference the buffer would be copied on write.
    guard var last = chunks.popLast() else { return false }
    if last.writableBytes < body.readableBytes {
      // The first piece is a slice of the buffer that the socket was read into, and would keep all of it: it is copied into a new buffer.
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
    endSending()
  }

  /// The connection has read bytes of its socket while the body is held: wakes `peekHeld`, which looks for them.
  func heldBytesCame() { if isHeld { wakeReader() } }

  /// The response's head has been received, and the bytes behind it stay unread until the load asks for the body.
  func hold() {
    isHeld = true
  }

  /// The connection is done with this exchange and may serve another.
  package func detach() { transport = nil }

  package func fail(_ error: LoadError) {
    guard case .open = inbound else { return }
    inbound = .failed(error)
    transport = nil
    if isHeld { unhold() }
    wakeReader()
    endSending()
    wakeExpectant()
  }

  /// Whether the connection must stop reading from its socket for this exchange.
  package var isFull: Bool {
    bufferedBytes >= Exchange.readAheadLimit || isHeld || context.isSuspended || (isPaced && bufferedBytes > 0)
  }

  private func wakeReader() {
    guard let reader else { return }
    self.reader = nil
    reader.resume()
  }
}
