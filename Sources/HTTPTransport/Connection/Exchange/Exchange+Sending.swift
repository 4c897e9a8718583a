import LoadingModel
import NIOCore

// The request body, and what a load sends after it: to the connection as fast as its socket takes it.

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

  /// Whether parts of files can be sent.
  package var takesFiles: Bool { transport?.takesFiles ?? false }

  /// False once there is no point in sending: the response has ended already.
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

  /// Nothing follows what has been sent by `sendSwitched`.
  func finishSwitched() { transport?.finishSwitched(self) }

  /// Whether `sendSwitched` would reach the socket rather than pile up.
  var isWritable: Bool { transport?.isWritable(self) ?? false }

  /// Bytes sent that still pile up on this side.
  var unwrittenBytes: Int { transport?.unwrittenBytes(of: self) ?? 0 }

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

  /// There is no point in sending any more: whatever waits for that goes on.
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
