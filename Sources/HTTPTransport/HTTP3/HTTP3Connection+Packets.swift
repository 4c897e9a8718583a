#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  // Datagrams and timers: what the C layer is fed with, and what it has to send.

  extension HTTP3Connection {
    /// - Parameter segment: Bytes of each of the datagrams that the system has joined, but of the last.
    func read(_ bytes: ByteBuffer, segment: Int, ecn: CInt, _ path: uls_h3_path) {
      guard let means, bytes.readableBytes > 0, segment > 0 else { return }
      if case .closed = state { return }
      lastHeard = clock.now
      var path = path
      let now = eventLoop.quicTime
      bytes.withUnsafeReadableBytes { bytes in
        var start = 0
        while start < bytes.count, self.means != nil {
          let length = min(segment, bytes.count - start)
          let datagram = uls_h3_bytes(data: bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: UInt8.self) }, length: length)
          call { uls_h3_read(means.pointer, &path, ecn, datagram, now) }
          start += length
        }
      }
    }

    /// The socket has nothing more for now.
    func readComplete() {
      deliver()
      flush()
    }

    /// Calls the C layer, whose events come meanwhile, and does what they have asked for.
    func call(_ body: () -> uls_h3_state) { conclude(enter(body)) }

    private func enter(_ body: () -> uls_h3_state) -> uls_h3_state {
      isInCall = true
      defer { isInCall = false }
      return body()
    }

    private func conclude(_ result: uls_h3_state) {
      guard result != ULS_H3_OPEN || wantsClose || hasLostPath else { return }
      deliver()
      if result != ULS_H3_OPEN { return ended(result) }
      if hasLostPath { lose(nil, PathLoss()) } else { close() }
    }

    func planFlush() {
      guard !isFlushPlanned, means != nil else { return }
      isFlushPlanned = true
      eventLoop.execute { [self] in
        isFlushPlanned = false
        flush()
      }
    }

    /// Brings to the socket what can be sent now, and plans the next wake.
    func flush() {
      guard let means, !isInCall else { return }
      if case .closed = state { return }
      writeOut(means)
      guard self.means != nil else { return }
      let expiry = uls_h3_expiry(means.pointer)
      // What is due can't be sent as long as there is no way to the server: the connection waits for one, until its idle timeout.
      plan(max(expiry, eventLoop.quicTime + (means.socket.isOpen ? 0 : HTTP3Connection.pauseWithoutSocket)))
      if !producers.isEmpty { wakeProducers() }
      if !unwritten.isEmpty { settleWrites() }
      closeIfLeft()
    }

    private static let pauseWithoutSocket: UInt64 = 250_000_000

    /// Bytes for a batch that has little to send.
    private static let smallBatch = 4096

    private func writeOut(_ means: Means) {
      var result = ULS_H3_OPEN
      var hasWritten = false
      while result == ULS_H3_OPEN, means.socket.isWritable {
        let room = streams.isEmpty || !hasBulk ? HTTP3Connection.smallBatch : QUICSocket.batchLimit
        let isSomething: Bool
        (result, isSomething) = writeBatch(means, room: room)
        guard isSomething else {
          hasQueued = false
          break
        }
        hasWritten = true
      }
      if hasWritten { means.socket.flush() }
      conclude(result)
    }

    /// Hands the socket as many datagrams as `room` has place for.
    /// - Returns: How the connection stands, and whether there were any.
    private func writeBatch(_ means: Means, room: Int) -> (uls_h3_state, isSomething: Bool) {
      var batch = uls_h3_batch()
      var result = ULS_H3_OPEN
      output.clear(minimumCapacity: room)
      output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { bytes in
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        result = enter { uls_h3_write(means.pointer, base, min(bytes.count, QUICSocket.batchLimit), &batch, eventLoop.quicTime) }
        return batch.length
      }
      if batch.length > 0 { means.socket.write(output, segment: batch.segment, ecn: batch.ecn) }
      return (result, batch.length > 0)
    }

    /// Whether bodies wait to be sent.
    private var hasBulk: Bool { !producers.isEmpty || hasQueued }

    // MARK: time

    private func plan(_ expiry: UInt64) {
      guard expiry < timerTime else { return }
      timer?.cancel()
      timerTime = expiry
      guard expiry != .max else { return }
      timer = eventLoop.scheduleTask(deadline: .uptimeNanoseconds(expiry)) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
      timerTime = .max
      timer = nil
      guard let means else { return }
      let now = eventLoop.quicTime
      // It may have been put off since.
      if uls_h3_expiry(means.pointer) <= now {
        call { uls_h3_expire(means.pointer, now) }
        deliver()
      }
      flush()
    }

    // MARK: the end

    /// The connection is over, or about to be.
    func ended(_ result: uls_h3_state) {
      guard let means else { return }
      if case .closed = state { return }
      let failure = uls_h3_failure(means.pointer)
      if result == ULS_H3_CLOSING { sayFarewell(means) }
      lose(HTTP3Failure(failure, means.slot).error(isOpening: isOpening), ChannelError.eof)
    }

    /// Sends the packet that ends a connection.
    func sayFarewell(_ means: Means) {
      if writeBatch(means, room: HTTP3Connection.smallBatch).isSomething { means.socket.flush() }
    }

    private var isOpening: Bool { if case .opening = state { true } else { false } }

    func socketFailed(_ socket: QUICSocket, _ error: any Error) {
      guard socket === means?.socket, case .opening = state else { return }
      lose(nil, error)
    }

    /// The attempt has ended before the pool had the connection: the server isn't left to wait for more (RFC 9000, 10.2.3).
    func socketCloses(_ socket: QUICSocket) {
      guard let means, socket === means.socket, exchangeCount == 0, !isInCall else { return }
      if case .closed = state { return }
      uls_h3_close(means.pointer, HTTP3ErrorCode.noError.rawValue)
      sayFarewell(means)
    }

    /// The channel has been closed from elsewhere: the system doesn't let it send any more, or the attempt has ended.
    func socketClosed(_ socket: QUICSocket) {
      guard socket === means?.socket else { return }
      if !replaceSocket() { lose(nil, ChannelError.eof) }
    }

    /// Gives everything up: with `cause`, or as `error` explains it.
    /// - Parameter isStale: Whether requests without an answer may be sent again on another connection.
    func lose(_ cause: LoadError?, _ error: any Error, isStale: Bool = false) {
      if case .closed = state { return }
      let before = state
      state = .closed
      timer?.cancel()
      suspicion?.cancel()
      handshakeLimit.take()?.cancel()
      noteEarlyFailure(cause)
      let lost = streams.values.sorted { $0.id < $1.id }
      streams = [:]
      touched = []
      producers = []
      settleWrites()
      switch before {
      case .opening(let ready):
        ready.fail(means?.slot.refusal ?? cause ?? TransportErrors.connecting(error))
      case .open, .leaving: owner?.connectionClosed(self)
      case .closed: break
      }
      failDeferred(cause)
      for stream in lost {
        var failure = earlyFailure(cause ?? failure(of: stream, error))
        if failure.kind == .networkConnectionLost, !stream.hasHead, failure.resendReason == nil {
          failure.resendReason = isStale || exchangeCount > 1 ? .staleConnection : .cutOff
        }
        stream.exchange.fail(failure)
      }
      release()
    }

    private func failure(of stream: HTTP3Stream, _ error: any Error) -> LoadError {
      if stream.hasHead { return TransportErrors.readingBody(error) }
      var mapped = TransportErrors.awaitingHead(error, hasBegun: false)
      if error is PathLoss { mapped.resendReason = .pathLost }
      return mapped
    }

    /// The C layer may be in the middle of a call: it goes with the next turn of the loop.
    private func release() {
      guard let gone = means else { return }
      means = nil
      if hasProceeded { gone.slot.questions?.finish() }
      gone.socket.close()
      eventLoop.execute { withExtendedLifetime(gone) {} }
    }
  }
#endif
