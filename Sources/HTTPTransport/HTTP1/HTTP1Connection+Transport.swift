import LoadingModel
import NIOCore

// The connection as the transport of its exchange.

extension HTTP1Connection: ExchangeTransport {
  package func send(_ bytes: ByteBuffer, of exchange: Exchange) {
    guard isCurrent(exchange), let context else { return }
    writer.write(bytes, context)
    context.flush()
    if reader.endsWithConnection { watchWrites(context) }
  }

  package func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?) {
    guard isCurrent(exchange), let context else {
      written?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    context.writeAndFlush(NIOAny(bytes), promise: written)
  }

  package var takesFiles: Bool { session == nil && !destination.isWrapped }

  package func send(_ part: FilePart, of exchange: Exchange) {
    guard isCurrent(exchange), let context else { return }
    part.write(context)
    context.flush()
    if reader.endsWithConnection { watchWrites(context) }
  }

  package func readDirectly(_ exchange: Exchange, atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int {
    guard takesFiles, isCurrent(exchange), let context, let rest = reader.rest, rest > 1 else { return 0 }
    // The last byte isn't taken directly, so that the end of the body is handled by `readEvents` as usual.
    let count = Int(min(rest - 1, Int64(limit)))
    guard let taken = socket.descriptor(of: context.channel).map({ take($0, count) }), taken > 0 else { return 0 }
    reader.skip(taken)
    exchange.context.record.responseBodyBytes += Int64(taken)
    pace = .small
    if !followers.sent.isEmpty {
      readerStands()
      followers.noteActivity()
    }
    return taken
  }

  package func finish(_ exchange: Exchange, _ trailers: HeaderFields) {
    guard isCurrent(exchange), let context else { return }
    markSent()
    writer.end(trailers, context)
    context.flush()
    if case .exchanging(let current) = state { finishIfDone(current, context) }
  }

  package func demand(_ exchange: Exchange) {
    guard isCurrent(exchange) else { return }
    readerMoves()
    context?.read()
  }

  package func cancel(_ exchange: Exchange) {
    if isCurrent(exchange) { giveUp() } else { abandonFollower(exchange) }
  }

  package func isWritable(_ exchange: Exchange) -> Bool {
    guard isCurrent(exchange), let context else { return true }
    return context.channel.isWritable
  }

  package func unwrittenBytes(of exchange: Exchange) -> Int { isCurrent(exchange) ? bufferedBytes : 0 }

  package func unacknowledgedBytes(of exchange: Exchange) -> Int {
    guard isCurrent(exchange), let context else { return 0 }
    return socket.unacknowledgedBytes(of: context.channel)
  }

  package func release(_ exchange: Exchange) {
    guard isCurrent(exchange), let context else { return }
    readEvents(context)
    // An idle connection reads as well, to notice when the server closes it.
    if isIdle || (isCurrent(exchange) && !exchange.isFull) { context.read() }
  }

  package func peekHeld(_ exchange: Exchange) -> ByteBuffer? {
    guard isCurrent(exchange), let context else { return ByteBuffer() }
    let first = reader.peekBody()
    if first == nil { context.read() }
    return first
  }

  package func handOver(_ exchange: Exchange) -> (any StreamSource)? {
    guard case .exchanging(let current) = state, current.exchange === exchange, current.isRequestSent, followers.isEmpty, let context else {
      return nil
    }
    let surplus = reader.takeSurplus()
    let connection = StreamConnection(context.channel, early: surplus.readableBytes > 0 ? [surplus] : [])
    do {
      try context.pipeline.syncOperations.addHandler(connection, position: .after(self))
    } catch {
      return nil
    }
    session?.keepTickets()
    state = .closed
    owner?.connectionClosed(self, wasInUse: true)
    connection.allowHalfClosure()
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    return connection
  }

  private func isCurrent(_ exchange: Exchange) -> Bool {
    if case .exchanging(let current) = state { current.exchange === exchange } else { false }
  }
}
