import HTTPTransport
import LoadingModel
import NIOCore
import NIOTLS

/// A control or data connection of FTP as a byte stream, with a bounded buffer of received bytes.
///
/// Owned by an `FTPConnection`; confined to the event loop.
package final class FTPStream: ChannelInboundHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop, which is the load's.
  package typealias InboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  package enum Role: Sendable {
    case control
    case data
  }

  private enum Inbound {
    case open
    case ended
    case failed(LoadError)
  }

  private let load: LoadContext
  private let role: Role
  private var context: ChannelHandlerContext?
  private var inbound = Inbound.open
  private var pieces = CircularBuffer<ByteBuffer>(initialCapacity: 4)
  private var bufferedBytes = 0
  private var reader: UnsafeContinuation<Void, Never>?
  private var writer: UnsafeContinuation<Void, Never>?
  private var lastWrite: EventLoopFuture<Void>?
  private var socket = KnownSocket()
  private var security: ChannelSecurity?
  private var handshake: UnsafeContinuation<Void, Never>?
  package private(set) var isSecured = false
  /// Called when bytes have come or the stream has ended, for an owner that waits for something else meanwhile.
  var onArrival: (() -> Void)?

  package init(_ load: LoadContext, _ role: Role) {
    self.load = load
    self.role = role
  }

  // MARK: what the load calls

  /// Waits for the next piece of received bytes; nil once the peer has closed the stream.
  package func next() async throws(LoadError) -> ByteBuffer? {
    while true {
      if let piece = popPiece() { return piece }
      switch inbound {
      case .failed(let error): throw error
      case .ended: return nil
      case .open: await withUnsafeContinuation { reader = $0 }
      }
    }
  }

  /// The next piece of received bytes; nil if none has arrived.
  func popPiece() -> ByteBuffer? {
    guard let piece = pieces.popFirst() else { return nil }
    bufferedBytes -= piece.readableBytes
    demand()
    return piece
  }

  /// Whether the stream has ended or failed, so that no more bytes will arrive.
  var hasEnded: Bool {
    if case .open = inbound { false } else { true }
  }

  /// Sends bytes and waits until the socket has room for more.
  package func send(_ bytes: ByteBuffer) async throws(LoadError) {
    try checkOpen()
    guard let context else { return }
    let promise = context.eventLoop.makePromise(of: Void.self)
    lastWrite = promise.futureResult
    context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
    while case .open = inbound, let context = self.context, !context.channel.isWritable {
      await withUnsafeContinuation { writer = $0 }
    }
    try checkOpen()
  }

  /// Waits until everything has been handed to the system, then ends the sending direction: the peer sees the end after the last byte. The socket
  /// stays open, so that it can be asked what of it has arrived.
  package func finishSending() async throws(LoadError) {
    if let lastWrite {
      await withUnsafeContinuation { done in lastWrite.whenComplete { _ in done.resume() } }
    }
    try checkOpen()
    context?.close(mode: .output, promise: nil)
  }

  /// The number of bytes sent that the peer hasn't acknowledged; 0 once the connection is closed.
  var unacknowledgedBytes: Int { context.map { socket.unacknowledgedBytes(of: $0.channel) } ?? 0 }

  /// Sends bytes without reporting whether they arrive.
  package func sendLast(_ bytes: ByteBuffer) {
    guard case .open = inbound else { return }
    context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }

  /// Begins TLS on the connection and waits for its handshake.
  package func secure(_ security: ChannelSecurity) async throws(LoadError) {
    try checkOpen()
    guard let context else { return }
    self.security = security
    do {
      try context.pipeline.syncOperations.addHandler(security.handler, position: .before(self))
    } catch {
      throw TransportErrors.connecting(error)
    }
    context.read()
    while !isSecured, case .open = inbound { await withUnsafeContinuation { handshake = $0 } }
    try checkOpen()
  }

  /// Whether received bytes haven't been taken by `next` or `popPiece`.
  var hasUnreadBytes: Bool { !pieces.isEmpty }

  package func close() {
    context?.close(mode: .all, promise: nil)
  }

  /// Ends the stream with `error`: all waits on it fail.
  package func fail(_ error: LoadError) {
    security?.withdraw(error)
    end(.failed(error))
    close()
  }

  /// Reads from the socket if the buffer has room.
  package func demand() {
    if !isFull { context?.read() }
  }

  /// The addresses and TLS parameters of the connection, for metrics; nil once it is closed.
  package var facts: ConnectionFacts? {
    guard let channel = context?.channel else { return nil }
    if let security, isSecured { return security.facts(of: channel) }
    return ConnectionFacts(
      localAddress: channel.localAddress?.ipAddress, localPort: channel.localAddress?.port,
      remoteAddress: channel.remoteAddress?.ipAddress, remotePort: channel.remoteAddress?.port, tlsVersion: nil, tlsCipherSuite: nil,
      isTLSResumed: false)
  }

  package var localAddress: SocketAddress? { context?.channel.localAddress }
  package var remoteAddress: SocketAddress? { context?.channel.remoteAddress }

  /// Stores the connection's TLS tickets, so that the session's next connection can resume its TLS session.
  package func keepTickets() { security?.keepTickets() }

  private func checkOpen() throws(LoadError) {
    switch inbound {
    case .open: return
    case .failed(let error): throw error
    case .ended: throw lost
    }
  }

  private var lost: LoadError {
    switch role {
    case .control: LoadError(.networkConnectionLost, .head, "the server closed the control connection")
    case .data: LoadError(.networkConnectionLost, .body, "the server closed the data connection before the transfer was complete")
    }
  }

  /// Whether reading stops. While the load is suspended, data connections aren't read (after their TLS handshake); the control connection is, as its
  /// replies are few.
  private var isFull: Bool {
    bufferedBytes >= Exchange.readAheadLimit || (role == .data && load.isSuspended && (isSecured || security == nil))
  }

  private func end(_ state: Inbound) {
    guard case .open = inbound else { return }
    inbound = state
    for waiting in [reader, writer, handshake] { waiting?.resume() }
    (reader, writer, handshake) = (nil, nil, nil)
    onArrival?()
  }

  // MARK: channel events

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { context.read() }
  }

  package func channelActive(context: ChannelHandlerContext) {
    context.read()
    context.fireChannelActive()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .open = inbound else { return }
    let bytes = unwrapInboundIn(data)
    guard bytes.readableBytes > 0 else { return }
    bufferedBytes += bytes.readableBytes
    pieces.append(bytes)
    reader?.resume()
    reader = nil
    onArrival?()
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    load.noteActivity()
    demand()
    context.fireChannelReadComplete()
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      load.noteActivity()
      writer?.resume()
      writer = nil
    }
    context.fireChannelWritabilityChanged()
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // Without `security`, the event is from the TLS handshake with a proxy below.
    if case .handshakeCompleted? = event as? TLSUserEvent, let security, !isSecured {
      isSecured = true
      security.handshakeEnded()
      handshake?.resume()
      handshake = nil
    }
    context.fireUserInboundEventTriggered(event)
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let security, !isSecured {
      end(.failed(security.explain(error)))
    } else if ChannelSecurity.isUncleanEnd(error) {
      // Many FTP servers close without closing TLS: whether all has come is told by the reply that follows, and by the file's size.
      end(.ended)
    } else {
      end(.failed(TransportErrors.readingBody(error)))
    }
    context.close(mode: .all, promise: nil)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    if security != nil, !isSecured {
      end(.failed(LoadError(.secureConnectionFailed, .secure, "the server closed the connection before it was secured")))
    } else {
      end(.ended)
    }
    self.context = nil
    context.fireChannelInactive()
  }

  package func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
}
