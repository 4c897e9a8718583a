import LoadingModel
import NIOCore
import ProtocolRules

// Sending. Frames are sent as fast as the socket takes them; several small ones share a system call.

extension WebSocketSession {
  /// The number of bytes from which on no further frame is added to one write.
  private static let batchSize = 64 * 1024
  /// The number of writes after which other work on the event loop gets its turn.
  private static let batchesPerTurn = 4
  /// The capacity in bytes up to which the buffer for frames is kept for the next write.
  private static let keptRoom = 1024

  /// Queues a message; `sent` is called once, when the system has taken all of it, or with the reason why it won't.
  package func send(_ content: WebSocketContent, _ sent: @escaping Sent) {
    switch phase {
    case .connecting, .open:
      outgoing.append(Outgoing(content: content, sent: sent))
      planPump()
    case .closing: sent(.notConnected)
    case .draining(let error): sent(error ?? .notConnected)
    case .ended(let error): sent(error)
    }
  }

  /// Plans `pump` for the next turn of the event loop, so that messages sent within this turn share a write.
  func planPump() {
    guard !isPumpPlanned, exchange != nil else { return }
    isPumpPlanned = true
    executor.eventLoop.execute { [self] in
      isPumpPlanned = false
      pump()
    }
  }

  /// Writes queued frames as long as the socket takes them.
  func pump() {
    for _ in 0..<WebSocketSession.batchesPerTurn {
      // A suspended task sends nothing; one that closes still sends its close frame.
      guard let exchange, let context, isReading, exchange.isWritable, !context.isSuspended || queuedClose != nil else { return }
      var batch = batchRoom
      batchRoom = ByteBuffer()
      batch.clear()
      let done = fill(&batch)
      guard batch.readableBytes > 0 else { return }
      write(batch, done, exchange)
      if batch.capacity <= WebSocketSession.keptRoom { batchRoom = batch }
    }
    planPump()
  }

  /// Fills `batch` with the next frames: pongs, pings, messages, and finally the close frame. Returns the callbacks of the completed messages.
  private func fill(_ batch: inout ByteBuffer) -> [Sent] {
    while let payload = pongs.popFirst() { writer.write(control: .pong, payload.readableBytesView, into: &batch) }
    for number in unsentPings {
      withUnsafeBytes(of: number.bigEndian) { writer.write(control: .ping, $0, into: &batch) }
    }
    unsentPings.removeAll()
    var done: [Sent] = []
    while batch.readableBytes < WebSocketSession.batchSize, let next = outgoing.first {
      if let progress = writer.write(next.content, next.progress, into: &batch) {
        outgoing[outgoing.startIndex].progress = progress
      } else {
        outgoing.removeFirst()
        if let contents = context?.contents { contents.exchanged(next.content.observed) }
        done.append(next.sent)
      }
    }
    if outgoing.isEmpty, let close = queuedClose.take() {
      writer.write(control: .close, close.payload, into: &batch)
      isCloseSent = true
    }
    return done
  }

  private func write(_ batch: ByteBuffer, _ done: [Sent], _ exchange: Exchange) {
    guard !done.isEmpty else { return exchange.sendSwitched(batch, written: nil) }
    let written = executor.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [self] result in
      let error: LoadError? = if case .failure(let error) = result { cause(of: error) } else { nil }
      for sent in done { sent(error) }
    }
    exchange.sendSwitched(batch, written: written)
  }

  /// The error for a message whose write failed: the one that ended the WebSocket, if there is one.
  private func cause(of error: any Error) -> LoadError {
    switch phase {
    case .draining(let error?), .ended(let error): error
    case .connecting, .open, .closing, .draining: TransportErrors.readingBody(error)
    }
  }

  /// Sends a close frame at once, ahead of queued messages, which aren't sent any more.
  func sendNow(close: WebSocketClose) {
    var buffer = ByteBuffer()
    writer.write(control: .close, close.payload, into: &buffer)
    isCloseSent = true
    exchange?.sendSwitched(buffer, written: nil)
  }

  func failSending(_ error: LoadError) {
    while let next = outgoing.popFirst() { next.sent(error) }
    let unanswered = pings
    (pings, unsentPings) = ([], [])
    for ping in unanswered { ping.answered(error) }
  }
}

// MARK: pings

extension WebSocketSession {
  /// Sends a ping. `answered` is called once: with nil when its pong has arrived, else with the error.
  package func ping(_ answered: @escaping Sent) {
    switch phase {
    case .connecting, .open:
      pingCount &+= 1
      pings.append(Ping(number: pingCount, answered: answered))
      unsentPings.append(pingCount)
      planPump()
    case .closing: answered(.notConnected)
    case .draining(let error): answered(error ?? .notConnected)
    case .ended(let error): answered(error)
    }
  }

  /// A pong answers the ping with the same payload, and all pings before it; an unsolicited pong is ignored (RFC 6455, 5.5.3).
  func answered(_ payload: ByteBuffer) {
    guard payload.readableBytes == 4, let number = payload.getInteger(at: payload.readerIndex, as: UInt32.self),
      let index = pings.firstIndex(where: { $0.number == number })
    else { return }
    let done = pings[...index]
    pings.removeSubrange(...index)
    for ping in done { ping.answered(nil) }
  }
}
