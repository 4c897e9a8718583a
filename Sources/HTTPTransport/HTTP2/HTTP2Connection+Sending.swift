import LoadingModel
import NIOCore

// Sending: the frames of one turn of the event loop go to the socket in one write, as fast as it takes them.

extension HTTP2Connection {
  /// The most bytes of frames that are produced from bodies before the socket has to take them.
  private static let outputLimit = 256 * 1024

  func planFlush() {
    guard !isFlushPlanned, let context else { return }
    isFlushPlanned = true
    context.eventLoop.execute { [self] in
      isFlushPlanned = false
      flush()
    }
  }

  /// Writes the frames that have been produced in this turn of the event loop to the socket.
  func flush() {
    guard let context else { return }
    if machine.hasLine, context.channel.isWritable {
      machine.pump(limit: HTTP2Connection.outputLimit)
      liveness.sent(clock.now)
    }
    if machine.output.readableBytes > 0 {
      // Taken out first: writing may change the channel's writability, which comes back here.
      var bytes = ByteBuffer()
      swap(&bytes, &machine.output)
      machine.writtenBytes += bytes.readableBytes
      context.writeAndFlush(NIOAny(bytes), promise: nil)
      reuse(&bytes)
      if machine.hasLine, context.channel.isWritable { planFlush() }
    }
    wakeProducers()
    if !unwritten.isEmpty { settleWrites() }
  }

  /// Completes the promises of `unwritten`: succeeds those whose bytes have all been put into frames, fails those whose stream has ended.
  func settleWrites() {
    let waiting = unwritten
    unwritten = waiting.filter { $0.stream.isOpen && $0.stream.pending.readableBytes > 0 }
    for (stream, written) in waiting {
      if !stream.isOpen {
        written.fail(ChannelError.ioOnClosedChannel)
      } else if stream.pending.readableBytes == 0 {
        written.succeed()
      }
    }
  }

  /// Keeps the buffer of the written frames for the next ones.
  private func reuse(_ bytes: inout ByteBuffer) {
    guard machine.output.readableBytes == 0 else { return }
    swap(&bytes, &machine.output)
    machine.output.clear(minimumCapacity: 0)
  }

  private func wakeProducers() {
    guard !waitingProducers.isEmpty, context?.channel.isWritable ?? false else { return }
    let waiting = waitingProducers
    waitingProducers = []
    for stream in waiting where stream.isOpen {
      if stream.pending.readableBytes > 0 {
        waitingProducers.append(stream)
      } else {
        stream.isProducerWaiting = false
        stream.exchange?.context.noteActivity()
        stream.exchange?.becameWritable()
      }
    }
  }

  func stream(of exchange: Exchange) -> HTTP2Stream? {
    guard let stream = machine.streams[exchange.streamID], stream.exchange === exchange else { return nil }
    return stream
  }
}

extension HTTP2Connection {
  package var takesFiles: Bool { false }

  package func send(_ bytes: ByteBuffer, of exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.send(bytes, stream)
    planFlush()
  }

  package func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?) {
    guard let stream = stream(of: exchange), stream.sending == .open else {
      written?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    if let written { unwritten.append((stream, written)) }
    machine.send(bytes, stream)
    planFlush()
  }

  package func unwrittenBytes(of exchange: Exchange) -> Int { stream(of: exchange)?.pending.readableBytes ?? 0 }

  /// The frames behind the stream's last one aren't its own: their acknowledgements, as of a PING, say nothing of it.
  package func unacknowledgedBytes(of exchange: Exchange) -> Int {
    guard let stream = stream(of: exchange), let context else { return 0 }
    let queued = machine.output.readableBytes + socket.unacknowledgedBytes(of: context.channel)
    return stream.pending.readableBytes + max(0, queued - (machine.outputEnd - stream.outputEnd))
  }

  package func finishSwitched(_ exchange: Exchange) { finish(exchange) }

  /// Never called, as `takesFiles` is false: DATA frame headers would have to be inserted into the file's bytes.
  package func send(_ part: FilePart, of exchange: Exchange) {}

  package func finish(_ exchange: Exchange, _ trailers: HeaderFields) {
    guard let stream = stream(of: exchange) else { return }
    machine.finish(stream, trailers)
    planFlush()
  }

  package func demand(_ exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.now = clock.now.nanoseconds
    machine.credit(stream)
    if machine.output.readableBytes > 0 { planFlush() }
  }

  package func cancel(_ exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.cancel(stream)
    exchangeWasGivenUp()
    planFlush()
    if isOpen { owner?.connectionGainedStreams(self) } else { closeIfLeft() }
  }

  package func priorityChanged(_ exchange: Exchange) {
    guard let stream = stream(of: exchange) else { return }
    machine.output.writePriorityUpdate(
      stream.id,
      PriorityField.value(
        exchange.context.priority.level, isIncremental: exchange.context.priority.isIncremental && !stream.isTunnel) ?? "u=3")
    planFlush()
  }

  package func isWritable(_ exchange: Exchange) -> Bool {
    guard let stream = stream(of: exchange), let context else { return true }
    if stream.pending.readableBytes == 0, context.channel.isWritable { return true }
    if !stream.isProducerWaiting {
      stream.isProducerWaiting = true
      waitingProducers.append(stream)
    }
    return false
  }
}
