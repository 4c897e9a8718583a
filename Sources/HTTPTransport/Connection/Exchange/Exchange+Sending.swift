import LoadingModel
import NIOCore

// Sending the request's body, and the bytes of a protocol that the connection was switched to, as fast as the socket takes them.

extension Exchange {
  /// Sends body bytes and waits until the socket has taken them in: the producer is tied to real writability.
  package func send(_ bytes: ByteBuffer) async throws(LoadError) {
    try checkOpenForSending()
    guard let transport else { return }
    context.record.requestBodyBytes += Int64(bytes.readableBytes)
    transport.send(bytes, of: self)
    while self.transport != nil, !transport.isWritable(self) {
      await withUnsafeContinuation { writer = $0 }
      try checkOpenForSending()
    }
  }

  /// As `send(_:)`, for a part of a file.
  package func send(_ part: FilePart) async throws(LoadError) {
    try checkOpenForSending()
    guard let transport else { return }
    context.record.requestBodyBytes += Int64(part.range.count)
    transport.send(part, of: self)
    while self.transport != nil, !transport.isWritable(self) {
      await withUnsafeContinuation { writer = $0 }
      try checkOpenForSending()
    }
  }

  /// Whether the connection can send parts of files by sendfile(2), as `send(_: FilePart)` requires.
  package var takesFiles: Bool { transport?.takesFiles ?? false }

  /// Whether sending more of the body makes sense: false once the response has ended or the connection is gone.
  package var acceptsBody: Bool { transport != nil && !hasEndedInbound }

  /// Sends bytes of the protocol that the connection was switched to (RFC 9110, 7.8).
  /// - Parameter written: Succeeds when the system has taken them.
  func sendSwitched(_ bytes: ByteBuffer, written: EventLoopPromise<Void>?) {
    guard let transport else {
      written?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    transport.send(bytes, of: self, written: written)
  }

  /// Ends the sending direction of a protocol that the connection was switched to: `sendSwitched` isn't called again.
  func finishSwitched() { transport?.finishSwitched(self) }

  /// Whether bytes given to `sendSwitched` would go to the socket at once, instead of being buffered here.
  var isWritable: Bool { transport?.isWritable(self) ?? false }

  /// The number of bytes given to `sendSwitched` that the socket hasn't taken yet.
  var unwrittenBytes: Int { transport?.unwrittenBytes(of: self) ?? 0 }

  package var acknowledgedBytes: Int64? {
    let sent = context.record.requestBodyBytes
    guard sent > 0, let transport else { return nil }
    // Framing and TLS add to what isn't acknowledged: the difference is below the true number, and grows with it while nothing is added.
    return sent - Int64(transport.unacknowledgedBytes(of: self))
  }

  package func finishSending(_ trailers: HeaderFields = HeaderFields()) {
    context.record.requestEnd = context.clock.now
    context.observer?.took(.bodySent(bytes: context.record.requestBodyBytesBeforeEncoding))
    transport?.finish(self, trailers)
  }

  private func checkOpenForSending() throws(LoadError) {
    if case .failed(let error) = inbound { throw error }
  }

  package func becameWritable() {
    wakeWriter()
    whenWritable?()
  }

  /// Ends all waits for sending, because the exchange is over or the response has ended: sending more would be useless.
  func endSending() {
    wakeWriter()
    guard let tell = whenSendingEnds else { return }
    whenSendingEnds = nil
    tell()
  }

  private func wakeWriter() {
    guard let writer else { return }
    self.writer = nil
    writer.resume()
  }
}
