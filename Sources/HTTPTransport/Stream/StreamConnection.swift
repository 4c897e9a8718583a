import LoadingModel
import NIOCore
import NIOTLS

/// One TCP connection, with or without TLS, as a byte stream in both directions.
///
/// plain -> securing -> secured      (a connection taken over from HTTP may already have TLS below, which this handler doesn't manage)
///
/// Bytes that arrive before a receiver is attached are kept; they are few, as no further read is requested. Owned by its channel; confined to the
/// event loop.
package final class StreamConnection: ChannelInboundHandler, StreamSource, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  package typealias InboundIn = ByteBuffer

  private enum Security {
    case none
    case securing(ChannelSecurity, EventLoopPromise<Void>)
    case secured(ChannelSecurity)
  }

  private enum Inbound {
    case open
    case ended(LoadError?)
    case failed(LoadError)
  }

  private let channel: any Channel
  private var context: ChannelHandlerContext?
  private var receiver: (any StreamReceiver)?
  private var early: [ByteBuffer]
  private var inbound = Inbound.open
  private var security = Security.none

  /// - Parameter early: Bytes that have been read from the connection already, to be delivered first.
  init(_ channel: any Channel, early: [ByteBuffer] = []) {
    self.channel = channel
    self.early = early
  }

  /// Keeps the connection open for writing when the peer closes its side.
  func allowHalfClosure() {
    try? channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
  }

  // MARK: StreamSource

  package func attach(_ receiver: (any StreamReceiver)?) {
    self.receiver = receiver
    guard let receiver else { return }
    while self.receiver === receiver, !early.isEmpty { receiver.received(early.removeFirst()) }
    // The receiver may have detached itself, or attached another one, which then has been told the rest.
    guard self.receiver === receiver else { return }
    switch inbound {
    case .open: if receiver.wantsBytes { demand() }
    case .ended(let error): receiver.inputEnded(error)
    case .failed(let error): receiver.failed(error)
    }
  }

  package func demand() { context?.read() }

  package var isWritable: Bool { channel.isWritable }

  package func write(_ bytes: ByteBuffer, _ written: EventLoopPromise<Void>) {
    guard let context else { return written.fail(ChannelError.ioOnClosedChannel) }
    context.write(NIOAny(bytes), promise: written)
  }

  package func flush() { context?.flush() }

  package func closeOutput(_ closed: EventLoopPromise<Void>) {
    guard let context else { return closed.succeed() }
    context.close(mode: .output, promise: closed)
  }

  package func close() {
    receiver = nil
    switch security {
    case .securing(let security, let done):
      security.withdraw(.cancelled(.secure))
      self.security = .none
      done.fail(LoadError.cancelled(.secure))
    case .secured(let security): security.keepTickets()
    case .none: break
    }
    channel.close(promise: nil)
  }

  // MARK: TLS

  /// Starts TLS on the open connection and waits for the handshake to complete.
  package func secure(_ security: ChannelSecurity) async throws(LoadError) {
    guard let context, case .open = inbound else {
      throw LoadError(.networkConnectionLost, .secure, "the server closed the connection before it was secured")
    }
    let done = context.eventLoop.makePromise(of: Void.self)
    self.security = .securing(security, done)
    do {
      try context.pipeline.syncOperations.addHandler(security.handler, position: .before(self))
      context.read()
      try await done.futureResult.get()
    } catch {
      throw TransportErrors.connecting(error)
    }
  }

  /// Whether the TLS handshake waits for the app to answer a challenge.
  var asksApp: Bool {
    if case .securing(let security, _) = security { security.asksApp } else { false }
  }

  /// Ends a TLS handshake that is under way with `error`, and its questions to the app.
  package func withdraw(_ error: LoadError) {
    guard case .securing(let security, let done) = security else { return }
    security.withdraw(error)
    self.security = .none
    done.fail(error)
  }

  /// The addresses and TLS parameters of the connection, for metrics.
  package var facts: ConnectionFacts {
    if case .secured(let security) = security { return security.facts(of: channel) }
    return ConnectionFacts(
      localAddress: channel.localAddress?.ipAddress, localPort: channel.localAddress?.port,
      remoteAddress: channel.remoteAddress?.ipAddress, remotePort: channel.remoteAddress?.port, tlsVersion: nil, tlsCipherSuite: nil,
      isTLSResumed: false, isMultipath: SocketSettings.isMultipath(channel))
  }

  // MARK: channel events

  package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  package func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    guard bytes.readableBytes > 0 else { return }
    if let receiver { receiver.received(bytes) } else { early.append(bytes) }
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    if receiver?.wantsBytes == true { context.read() }
    context.fireChannelReadComplete()
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { receiver?.becameWritable() }
    context.fireChannelWritabilityChanged()
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent, case .securing(let security, let done) = security {
      self.security = .secured(security)
      security.handshakeEnded()
      done.succeed()
    } else if case .inputClosed? = event as? ChannelEvent {
      endInput(nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .securing(let security, _) = security {
      withdraw(security.explain(error))
      return context.close(mode: .all, promise: nil)
    }
    if ChannelSecurity.isUncleanEnd(error) {
      // Without close_notify the data may have been truncated (RFC 8446, 6.1). Bytes that have arrived can still be read.
      return endInput(
        LoadError(.networkConnectionLost, .body, "the server closed the connection without closing TLS first: something may be missing"))
    }
    fail(StreamConnection.lost(error))
    context.close(mode: .all, promise: nil)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    if case .securing = security {
      withdraw(LoadError(.secureConnectionFailed, .secure, "the server closed the connection before it was secured"))
    } else {
      endInput(nil)
    }
    self.context = nil
    context.fireChannelInactive()
  }

  /// The connection's local address has left the machine: fails and closes it.
  func losePath() {
    fail(PathLoss.midway(.body))
    channel.close(promise: nil)
  }

  static func lost(_ error: any Error) -> LoadError {
    switch error {
    case let error as LoadError: error
    case let error as IOError: TransportErrors.posix(error, .body)
    default: LoadError(.networkConnectionLost, .body, "the connection broke (\(error))")
    }
  }

  private func endInput(_ error: LoadError?) {
    guard case .open = inbound else { return }
    inbound = .ended(error)
    receiver?.inputEnded(error)
  }

  private func fail(_ error: LoadError) {
    if case .failed = inbound { return }
    inbound = .failed(error)
    receiver?.failed(error)
  }
}
