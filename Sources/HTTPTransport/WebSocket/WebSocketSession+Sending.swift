import LoadingModel
import NIOCore
import ProtocolRules

// Frames leave as fast as the socket takes them; several small ones share a system call.

extension WebSocketSession {
  /// Bytes of small frames that are written at a time.
  private static let batchSize = 64 * 1024
  /// Batches between which others on the event loop get their turn.
  private static let batchesPerTurn = 4
  /// Room that a WebSocket keeps for its next frames.
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

  /// Writes in a later turn of the loop: what else the app sends in this turn is written with it.
  func planPump() {
    guard !isPumpPlanned, exchange != nil else { return }
    isPumpPlanned = true
    executor.eventLoop.execute { [self] in
      isPumpPlanned = false
      pump()
    }
  }

  /// Writes what waits, as far as the socket takes it.
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

  /// Takes what is to be sent next. Returns the callbacks for when it has been sent.
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

  /// Why a write failed: because of what ended the WebSocket, if anything did.
  private func cause(of error: any Error) -> LoadError {
    switch phase {
    case .draining(let error?), .ended(let error): error
    case .connecting, .open, .closing, .draining: TransportErrors.readingBody(error)
    }
  }

  /// Sends a close frame before anything else that waits; nothing follows it.
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
  /// Sends a ping; `answered` is called once, with the pong or the end.
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

  /// 5.5.3: a pong answers the ping whose payload it has, and may answer all before it. An unsolicited one is no error.
  func answered(_ payload: ByteBuffer) {
    guard payload.readableBytes == 4, let number = payload.getInteger(at: payload.readerIndex, as: UInt32.self),
      let index = pings.firstIndex(where: { $0.number == number })
    else { return }
    let done = pings[...index]
    pings.removeSubrange(...index)
    for ping in done { ping.answered(nil) }
  }
}
