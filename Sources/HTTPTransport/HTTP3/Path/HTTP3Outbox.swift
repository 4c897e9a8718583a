#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// What one connection sends, and when: batches of datagrams, the senders that wait for them, and the next wake of the C layer.
  ///
  /// Owned by its connection, which hands itself in where it is to be called later; confined to the event loop.
  final class HTTP3Outbox: @unchecked Sendable {
    // @unchecked: confined to the event loop.
    // `@exclusivity(unchecked)`: as of the connection.

    private struct Timer {
      let time: UInt64
      let wake: Scheduled<Void>
    }

    private let eventLoop: any EventLoop
    @exclusivity(unchecked) private var output = ByteBuffer()
    @exclusivity(unchecked) private var isFlushPlanned = false
    @exclusivity(unchecked) private var timer: Timer?
    /// When it last wrote, in `quicTime`.
    @exclusivity(unchecked) private var lastWrite: UInt64 = 0
    /// Bytes of the next batch: few unless bodies have been queued since there was last nothing to send.
    @exclusivity(unchecked) private var room = smallBatch
    /// Streams whose producers wait for room.
    @exclusivity(unchecked) private var producers: [HTTP3Stream] = []
    /// Those who wait until their bytes have been sent.
    @exclusivity(unchecked) private var unwritten: [(stream: HTTP3Stream, written: EventLoopPromise<Void>)] = []

    /// Bytes for a batch that has little to send.
    private static let smallBatch = 4096
    /// Nanoseconds: of timers that are shorter (RFC 9002, 6.1.2).
    private static let granularity: UInt64 = 1_000_000
    /// Nanoseconds.
    private static let pauseWithoutSocket: UInt64 = 250_000_000
    /// Bytes of a body that are taken ahead of the network.
    private static let queueLimit = 256 * 1024

    init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    deinit { timer?.wake.cancel() }

    /// The connection is over: nothing more is sent.
    func end() {
      timer?.wake.cancel()
      producers = []
      let waiting = unwritten
      unwritten = []
      for (_, written) in waiting { written.fail(ChannelError.ioOnClosedChannel) }
    }

    // MARK: time

    /// Has `connection` flush in this turn of the loop, once for all that is sent in it.
    func planFlush(of connection: HTTP3Connection) {
      guard !isFlushPlanned else { return }
      isFlushPlanned = true
      eventLoop.execute { [self] in
        isFlushPlanned = false
        connection.flush()
      }
    }

    /// Wakes `connection` when the C layer has something to do.
    ///
    /// - Parameter hasSocket: Whether there is a way to the server. What is due can't be sent without: the connection waits for one, until its
    ///   idle timeout.
    func planWake(of connection: HTTP3Connection, _ handle: QUICHandle, hasSocket: Bool) {
      let expiry = uls_h3_expiry(handle.pointer)
      plan(hasSocket ? expiry : max(expiry, eventLoop.quicTime + HTTP3Outbox.pauseWithoutSocket), of: connection)
    }

    /// Wakes `connection` at a time of `quicTime`, unless it is woken before that anyway; never if that is the largest number.
    private func plan(_ due: UInt64, of connection: HTTP3Connection) {
      // What was due when it last wrote, and wasn't sent, waits for the server, as the proof of a new path does: it isn't asked for at once.
      let time = due > lastWrite ? due : lastWrite + HTTP3Outbox.granularity
      guard time < timer?.time ?? .max else { return }
      timer?.wake.cancel()
      let wake = eventLoop.scheduleTask(deadline: .uptimeNanoseconds(time)) { [weak self, weak connection] in
        self?.timer = nil
        connection?.timerFired()
      }
      timer = Timer(time: time, wake: wake)
    }

    // MARK: datagrams

    /// Hands the socket what can be sent now.
    /// - Returns: How the connection stands.
    func write(_ handle: QUICHandle, to socket: QUICSocket, hasStreams: Bool) -> uls_h3_state {
      var result = ULS_H3_OPEN
      var hasWritten = false
      while result == ULS_H3_OPEN, socket.isWritable {
        let largest = producers.isEmpty ? room : QUICSocket.batchLimit
        let isSomething: Bool
        (result, isSomething) = writeBatch(handle, to: socket, room: hasStreams ? largest : HTTP3Outbox.smallBatch)
        guard isSomething else {
          room = HTTP3Outbox.smallBatch
          break
        }
        hasWritten = true
      }
      if hasWritten { socket.flush() }
      return result
    }

    /// Ends a connection without an error.
    func sayFarewell(_ handle: QUICHandle, to socket: QUICSocket) {
      uls_h3_close(handle.pointer, HTTP3ErrorCode.noError.rawValue)
      writeFarewell(handle, to: socket)
    }

    /// Sends the packet that ends a connection.
    func writeFarewell(_ handle: QUICHandle, to socket: QUICSocket) {
      if writeBatch(handle, to: socket, room: HTTP3Outbox.smallBatch).isSomething { socket.flush() }
    }

    /// Hands the socket as many datagrams as `room` has place for.
    /// - Returns: How the connection stands, and whether there were any.
    private func writeBatch(_ handle: QUICHandle, to socket: QUICSocket, room: Int) -> (uls_h3_state, isSomething: Bool) {
      var batch = uls_h3_batch()
      var result = ULS_H3_OPEN
      lastWrite = eventLoop.quicTime
      output.clear(minimumCapacity: room)
      output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { bytes in
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        result = handle.call { uls_h3_write($0, base, min(bytes.count, QUICSocket.batchLimit), &batch, lastWrite) }
        return batch.length
      }
      if batch.length > 0 { socket.write(output, segment: batch.segment, ecn: batch.ecn) }
      return (result, batch.length > 0)
    }

    // MARK: bodies

    func queue(_ bytes: ByteBuffer, _ stream: HTTP3Stream, _ handle: QUICHandle) {
      bytes.withUnsafeReadableBytes { bytes in
        let piece = uls_h3_bytes(data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), length: bytes.count)
        uls_h3_send(handle.pointer, stream.id, piece)
      }
      room = QUICSocket.batchLimit
    }

    /// Ends what is sent on the stream.
    ///
    /// - Returns: Whether the fields behind the body could be sent.
    func finish(_ stream: HTTP3Stream, _ trailers: HeaderFields, _ handle: QUICHandle) -> Bool {
      stream.isSending = false
      guard !trailers.isEmpty else {
        uls_h3_finish(handle.pointer, stream.id)
        return true
      }
      let fields = HTTP3RequestFields(trailers: trailers)
      return fields.withFields { uls_h3_trail(handle.pointer, stream.id, $0.baseAddress, $0.count) } != 0
    }

    /// Tells the server how urgent the answer is.
    func prioritise(_ stream: HTTP3Stream, _ handle: QUICHandle) {
      let priority = stream.exchange.context.priority
      let isIncremental = priority.isIncremental && !stream.isTunnel
      uls_h3_prioritise(handle.pointer, stream.id, CInt(PriorityField.urgency(priority.level)), isIncremental ? 1 : 0)
    }

    /// Tells when what has been queued has been sent, or never will be.
    func tell(_ written: EventLoopPromise<Void>, of stream: HTTP3Stream) { unwritten.append((stream, written)) }

    /// Whether the stream takes more of its body; if not, its exchange is told later.
    func hasRoom(_ stream: HTTP3Stream, _ handle: QUICHandle) -> Bool {
      if uls_h3_unacknowledged(handle.pointer, stream.id) < limit(handle) { return true }
      if !stream.isProducerWaiting {
        stream.isProducerWaiting = true
        producers.append(stream)
      }
      return false
    }

    /// What may be on its way to the server, and is kept until the server has it.
    private func limit(_ handle: QUICHandle) -> Int {
      HTTP3Outbox.queueLimit + Int(min(uls_h3_congestion_window(handle.pointer), 16 << 20))
    }

    /// Tells the producers for which there is room now.
    ///
    /// - Parameter streams: Those that are there: what another one has sent, or would, doesn't matter any more.
    func wakeProducers(_ handle: QUICHandle, among streams: HTTP3StreamTable) {
      guard !producers.isEmpty else { return }
      let waiting = producers
      producers = []
      let limit = limit(handle)
      for stream in waiting where streams.contains(stream) && stream.isProducerWaiting {
        if uls_h3_unacknowledged(handle.pointer, stream.id) >= limit {
          producers.append(stream)
        } else {
          stream.isProducerWaiting = false
          stream.exchange.context.noteActivity()
          stream.exchange.becameWritable()
        }
      }
    }

    /// Answers the senders whose bytes have been sent, or never will be.
    func settleWrites(_ handle: QUICHandle, among streams: HTTP3StreamTable) {
      guard !unwritten.isEmpty else { return }
      let waiting = unwritten
      unwritten = []
      for (stream, written) in waiting {
        if !streams.contains(stream) {
          written.fail(ChannelError.ioOnClosedChannel)
        } else if uls_h3_unsent(handle.pointer, stream.id) > 0 {
          unwritten.append((stream, written))
        } else {
          written.succeed()
        }
      }
    }
  }
#endif
