#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  // What exchanges ask of the connection.

  extension HTTP3Connection: ExchangeTransport {
    /// Bytes of a body that are taken ahead of the network.
    private static let queueLimit = 256 * 1024

    private func stream(of exchange: Exchange) -> HTTP3Stream? {
      guard let stream = streams[Int64(UInt32(bitPattern: exchange.streamID)) << 2], stream.exchange === exchange else { return nil }
      return stream
    }

    func queue(_ bytes: ByteBuffer, _ stream: HTTP3Stream) {
      guard let means else { return }
      bytes.withUnsafeReadableBytes { bytes in
        let piece = uls_h3_bytes(data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), length: bytes.count)
        uls_h3_send(means.pointer, stream.id, piece)
      }
      hasQueued = true
    }

    package var takesFiles: Bool { false }

    package func send(_ bytes: ByteBuffer, of exchange: Exchange) {
      guard let stream = stream(of: exchange) else { return deferBody(exchange, bytes) }
      guard stream.isSending else { return }
      queue(bytes, stream)
      planFlush()
    }

    package func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?) {
      guard let stream = stream(of: exchange), stream.isSending else {
        written?.fail(ChannelError.ioOnClosedChannel)
        return
      }
      if let written { unwritten.append((stream, written)) }
      queue(bytes, stream)
      planFlush()
    }

    /// Never called: packets are made of the parts of a file.
    package func send(_ part: FilePart, of exchange: Exchange) {}

    package func finishSwitched(_ exchange: Exchange) { finish(exchange) }

    package func finish(_ exchange: Exchange) {
      guard let stream = stream(of: exchange) else { return deferBody(exchange, nil, isEnd: true) }
      guard stream.isSending, let means else { return }
      stream.isSending = false
      uls_h3_finish(means.pointer, stream.id)
      planFlush()
    }

    package func demand(_ exchange: Exchange) {
      guard let stream = stream(of: exchange), stream.uncredited > 0 else { return }
      credit(stream)
      planFlush()
    }

    package func cancel(_ exchange: Exchange) {
      guard let stream = stream(of: exchange), let means else { return }
      uls_h3_cancel(means.pointer, stream.id, HTTP3ErrorCode.requestCancelled.rawValue)
      forget(stream)
      suspect()
      planFlush()
      if isOpen { owner?.connectionGainedStreams(self) } else { closeIfLeft() }
    }

    package func priorityChanged(_ exchange: Exchange) {
      guard let stream = stream(of: exchange), let means else { return }
      let priority = exchange.context.priority
      let isIncremental = priority.isIncremental && !stream.isTunnel
      uls_h3_prioritise(means.pointer, stream.id, CInt(HTTP2RequestHead.urgency(priority.level)), isIncremental ? 1 : 0)
      planFlush()
    }

    package func isWritable(_ exchange: Exchange) -> Bool {
      guard let stream = stream(of: exchange), let means else { return !isDeferred(exchange) }
      if uls_h3_unacknowledged(means.pointer, stream.id) < HTTP3Connection.queueLimit + window(means) { return true }
      if !stream.isProducerWaiting {
        stream.isProducerWaiting = true
        producers.append(stream)
      }
      return false
    }

    /// What may be on its way to the server, and is kept until the server has it.
    private func window(_ means: Means) -> Int { Int(min(uls_h3_measure(means.pointer).congestion_window, 16 << 20)) }

    func wakeProducers() {
      guard let means else { return }
      let waiting = producers
      producers = []
      let limit = HTTP3Connection.queueLimit + window(means)
      for stream in waiting where streams[stream.id] === stream && stream.isProducerWaiting {
        if uls_h3_unacknowledged(means.pointer, stream.id) >= limit {
          producers.append(stream)
        } else {
          stream.isProducerWaiting = false
          stream.exchange.context.noteActivity()
          stream.exchange.becameWritable()
        }
      }
    }

    /// Answers the senders that wait for bytes that have been sent, or never will be.
    func settleWrites() {
      let waiting = unwritten
      unwritten = []
      for (stream, written) in waiting {
        if streams[stream.id] !== stream {
          written.fail(ChannelError.ioOnClosedChannel)
        } else if let means, uls_h3_unsent(means.pointer, stream.id) > 0 {
          unwritten.append((stream, written))
        } else {
          written.succeed()
        }
      }
    }

    /// An exchange has been given up. If nothing comes from the peer now, which must acknowledge that, the connection is dead: later
    /// exchanges don't wait for nothing.
    private func suspect() {
      guard isOpen, suspicion == nil else { return }
      let asked = clock.now
      suspicion = eventLoop.scheduleTask(in: HTTP3Connection.patience) { [weak self] in
        guard let self else { return }
        suspicion = nil
        guard isOpen, lastHeard < asked else { return }
        lose(TransportErrors.silence, ChannelError.eof, isStale: true)
      }
    }

    private static let patience = TimeAmount.seconds(10)
  }
#endif
