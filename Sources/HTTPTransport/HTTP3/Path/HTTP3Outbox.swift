#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// Decides what one connection sends and when: batches of datagrams, senders that wait for room, and the timer of the C layer.
  ///
  /// Owned by its connection, which passes itself to calls that use it later; confined to the event loop.
  final class HTTP3Outbox: @unchecked Sendable {
    // @unchecked: confined to the event loop.
    // `@exclusivity(unchecked)`: for the reason given in `HTTP3Connection`.

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
    /// The most bytes of the next batch of datagrams: small, unless a body has been queued since there was nothing to send.
    @exclusivity(unchecked) private var room = smallBatch
    /// Streams whose producers wait until more of their body can be queued.
    @exclusivity(unchecked) private var producers: [HTTP3Stream] = []
    /// The promises of `send(_:of:written:)`, which succeed once the stream's bytes have been sent.
    @exclusivity(unchecked) private var unwritten: [(stream: HTTP3Stream, written: EventLoopPromise<Void>)] = []

    /// The most bytes of a batch while no body is queued.
    private static let smallBatch = 4096
    /// The least interval of timers, in nanoseconds (RFC 9002, 6.1.2).
    private static let granularity: UInt64 = 1_000_000
    /// The least time between timers while there is no open socket, in nanoseconds.
    private static let pauseWithoutSocket: UInt64 = 250_000_000
    /// Bytes of a body that are queued beyond the congestion window before its producer has to wait.
    private static let queueLimit = 256 * 1024

    init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    deinit { timer?.wake.cancel() }

    /// The connection has ended: cancels the timer and fails the promises of unsent bytes.
    func end() {
      timer?.wake.cancel()
      producers = []
      let waiting = unwritten
      unwritten = []
      for (_, written) in waiting { written.fail(ChannelError.ioOnClosedChannel) }
    }

    // MARK: timers

    /// Plans one flush of `connection` in this turn of the event loop, for everything that is queued in it.
    func planFlush(of connection: HTTP3Connection) {
      guard !isFlushPlanned else { return }
      isFlushPlanned = true
      eventLoop.execute { [self] in
        isFlushPlanned = false
        connection.flush()
      }
    }

    /// Plans the next timer of the C layer, at which `connection.timerFired` is called.
    ///
    /// - Parameter hasSocket: Whether the connection has an open socket. Without one nothing can be sent, and timers are delayed; the connection
    /// waits for a network until its idle timeout.
    func planWake(of connection: HTTP3Connection, _ handle: QUICHandle, hasSocket: Bool) {
      let expiry = uls_h3_expiry(handle.pointer)
      plan(hasSocket ? expiry : max(expiry, eventLoop.quicTime + HTTP3Outbox.pauseWithoutSocket), of: connection)
    }

    /// Plans the timer for `due` (in `quicTime`), unless an earlier one is planned. `UInt64.max` means never.
    private func plan(_ due: UInt64, of connection: HTTP3Connection) {
      // A timer that was due at the last write and sent nothing then waits for the server (as path validation does): it isn't repeated at once.
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

    /// Writes all datagrams that can be sent now to the socket.
    /// - Returns: The state of the connection.
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

    /// Writes datagrams of at most `room` bytes to the socket.
    /// - Returns: The state of the connection, and whether there was anything to send.
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

    /// Ends the request's body on the stream.
    ///
    /// - Returns: Whether the trailer fields could be sent.
    func finish(_ stream: HTTP3Stream, _ trailers: HeaderFields, _ handle: QUICHandle) -> Bool {
      stream.isSending = false
      guard !trailers.isEmpty else {
        uls_h3_finish(handle.pointer, stream.id)
        return true
      }
      let fields = HTTP3RequestFields(trailers: trailers)
      return fields.withFields { uls_h3_trail(handle.pointer, stream.id, $0.baseAddress, $0.count) } != 0
    }

    /// Tells the server the exchange's priority (PRIORITY_UPDATE, RFC 9218).
    func prioritise(_ stream: HTTP3Stream, _ handle: QUICHandle) {
      let priority = stream.exchange.context.priority
      let isIncremental = priority.isIncremental && !stream.isTunnel
      uls_h3_prioritise(handle.pointer, stream.id, CInt(PriorityField.urgency(priority.level)), isIncremental ? 1 : 0)
    }

    /// Registers a promise that succeeds when the stream's queued bytes have been sent, or fails when the stream ends before.
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

    /// The most unacknowledged bytes of a stream that are kept: `queueLimit` beyond the congestion window (of which at most 16 MiB count).
    private func limit(_ handle: QUICHandle) -> Int {
      HTTP3Outbox.queueLimit + Int(min(uls_h3_congestion_window(handle.pointer), 16 << 20))
    }

    /// Calls `becameWritable` for the producers that wait and have room now.
    ///
    /// - Parameter streams: The connection's streams; producers of streams that have ended are dropped.
    func wakeProducers(_ handle: QUICHandle, among streams: StreamTable<HTTP3Stream>) {
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

    /// Completes the promises of streams whose bytes have been sent, and fails those of streams that have ended.
    func settleWrites(_ handle: QUICHandle, among streams: StreamTable<HTTP3Stream>) {
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
