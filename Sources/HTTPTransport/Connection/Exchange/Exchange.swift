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
  /// Its stream, on a connection that has many; that connection's own.
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
  /// The body that waits for 100 (Continue).
  @exclusivity(unchecked) var expectation: UnsafeContinuation<Void, Never>?
  @exclusivity(unchecked) var wasContinued = false
  /// Told once when there is no point in sending any more: a body whose producer waits for the app must not wait for it.
  @exclusivity(unchecked) package var whenSendingEnds: (() -> Void)?
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

  /// The next informational response, or the final head; nil if neither is there: `resumeReader` tells when to look again.
  package func takeHead() throws(LoadError) -> ResponseHead? {
    if !informational.isEmpty { return informational.removeFirst() }
    if let head { return head }
    switch inbound {
    case .failed(let error): throw error
    case .finished: throw LoadError(.cannotParseResponse, .head, "the response ended before its head")
    case .open: return nil
    }
  }

  /// Resumes `continuation` when something has come, or nothing more will.
  package func resumeReader(_ continuation: UnsafeContinuation<Void, Never>) { reader = continuation }

  /// The next piece of body, if it is there.
  package func takeChunk() -> ByteBuffer? {
    guard let chunk = chunks.popFirst() else { return nil }
    let wasFull = bufferedBytes >= Exchange.readAheadLimit
    bufferedBytes -= chunk.readableBytes
    if wasFull, bufferedBytes < Exchange.readAheadLimit { transport?.demand(self) }
    return chunk
  }

  /// Whether nothing comes behind what has arrived: the body's end, once `takeChunk` has nothing more.
  package func isAtEnd() throws(LoadError) -> Bool {
    switch inbound {
    case .failed(let error): throw error
    case .finished: true
    case .open: false
    }
  }

  /// The next piece of body; nil at its end.
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

  /// The connection, positioned behind the response's head; nil if the body has been begun, or the connection is shared or closed.
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

  /// Pieces up to this size become one while they wait: each costs its reader, and the app behind it, more than the copy.
  private static let mergeLimit = readAheadLimit

  private func mergeIntoLast(_ body: ByteBuffer) -> Bool {
    guard let waiting = chunks.last?.readableBytes, waiting + body.readableBytes <= Exchange.mergeLimit else { return false }
    // Taken out, so that nothing else refers to it while it is written to.
    guard var last = chunks.popLast() else { return false }
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
    endSending()
  }

  /// The socket has brought bytes: some of a held body may be among them.
  func heldBytesCame() { if isHeld { wakeReader() } }

  /// The head is here; what is behind it waits.
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

  /// Whether the connection must not read on.
  package var isFull: Bool {
    bufferedBytes >= Exchange.readAheadLimit || isHeld || context.isSuspended || (isPaced && bufferedBytes > 0)
  }

  private func wakeReader() {
    guard let reader else { return }
    self.reader = nil
    reader.resume()
  }
}
