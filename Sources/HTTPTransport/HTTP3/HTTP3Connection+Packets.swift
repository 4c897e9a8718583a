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
      let now = QUICClock.now
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
      closeIfLeft()
    }

    /// Calls the C layer, whose events come meanwhile.
    func call(_ body: () -> uls_h3_state) {
      isInCall = true
      let result = body()
      isInCall = false
      guard result != ULS_H3_OPEN || wantsClose || hasLostPath else { return }
      if result == ULS_H3_OPEN, hasLostPath {
        deliver()
        return lose(nil, PathLoss())
      }
      if result == ULS_H3_OPEN { return close() }
      deliver()
      ended(result)
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
      plan(means.socket.isOpen ? expiry : max(expiry, QUICClock.now + HTTP3Connection.pauseWithoutSocket))
      if !producers.isEmpty { wakeProducers() }
      if !unwritten.isEmpty { settleWrites() }
      closeIfLeft()
    }

    private static let pauseWithoutSocket: UInt64 = 250_000_000

    /// Bytes for a batch that has little to send.
    private static let smallBatch = 4096

    func writeOut(_ means: Means) {
      let now = QUICClock.now
      var hasWritten = false
      while means.socket.isWritable {
        var batch = uls_h3_batch()
        var result = ULS_H3_OPEN
        let room = streams.isEmpty || !hasBulk ? HTTP3Connection.smallBatch : QUICSocket.batchLimit
        output.clear(minimumCapacity: room)
        isInCall = true
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { bytes in
          guard let base = bytes.baseAddress else { return 0 }
          result = uls_h3_write(
            means.pointer, base.assumingMemoryBound(to: UInt8.self), min(bytes.count, QUICSocket.batchLimit), &batch, now)
          return batch.length
        }
        isInCall = false
        if batch.length > 0 {
          hasWritten = true
          means.socket.write(output, segment: batch.segment, ecn: batch.ecn)
        }
        if result != ULS_H3_OPEN, batch.length == 0 {
          if hasWritten { means.socket.flush() }
          return ended(result)
        }
        guard batch.length > 0 else {
          hasQueued = false
          break
        }
      }
      if hasWritten { means.socket.flush() }
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
      let now = QUICClock.now
      // It may have been put off since.
      if uls_h3_expiry(means.pointer) <= now {
        call { uls_h3_expire(means.pointer, now) }
        deliver()
      }
      flush()
      closeIfLeft()
    }

    // MARK: the end

    /// The connection is over, or about to be.
    func ended(_ result: uls_h3_state) {
      guard let means else { return }
      if case .closed = state { return }
      let failure = uls_h3_failure(means.pointer)
      if result == ULS_H3_CLOSING { writeFarewell(means) }
      lose(HTTP3Failure(failure, means.slot).error(isOpening: isOpening), ChannelError.eof)
    }

    private var isOpening: Bool { if case .opening = state { true } else { false } }

    private func writeFarewell(_ means: Means) {
      var batch = uls_h3_batch()
      output.clear(minimumCapacity: HTTP3Connection.smallBatch)
      output.writeWithUnsafeMutableBytes(minimumWritableBytes: HTTP3Connection.smallBatch) { bytes in
        guard let base = bytes.baseAddress else { return 0 }
        _ = uls_h3_write(means.pointer, base.assumingMemoryBound(to: UInt8.self), bytes.count, &batch, QUICClock.now)
        return batch.length
      }
      guard batch.length > 0 else { return }
      means.socket.write(output, segment: batch.segment, ecn: batch.ecn)
      means.socket.flush()
    }

    func socketFailed(_ socket: QUICSocket, _ error: any Error) {
      guard socket === means?.socket, case .opening = state else { return }
      lose(nil, error)
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
      for stream in lost {
        var failure = cause ?? failure(of: stream, error)
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
      gone.slot.questions?.finish()
      gone.socket.close()
      eventLoop.execute { withExtendedLifetime(gone) {} }
    }
  }
#endif
