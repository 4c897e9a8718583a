import LoadingModel
import NIOCore
import ProtocolRules

/// What a WebSocket session reports beside its messages; implemented by the public layer. Called on the event loop.
package protocol WebSocketEvents: AnyObject {
  func webSocketOpened(subprotocol: String?)
  /// The WebSocket is closed or is closing, with this code and reason; told before the task completes.
  func webSocketWillClose(code: Int, reason: [UInt8])
  /// The peer's close frame has come.
  func webSocketClosed(by close: WebSocketClose)
}

/// One WebSocket (RFC 6455), from the app's first call to its end: the messages to be sent, received messages, and waiting callers.
///
/// connecting -> open -> closing -> draining -> ended
/// \________\__________\________^      (an interruption ends it from anywhere)
///
/// Runs over an `Exchange` whose connection has been switched to WebSocket, over any version of HTTP. Owned by its task; confined to the event
/// loop of the task's session.
package final class WebSocketSession: Interruptible, @unchecked Sendable {
  // @unchecked: made by the task on any thread; from then on everything but the immutable `executor`, `protocols` and `offersCompression`
  // is confined to the executor's event loop.
  package typealias Sent = @Sendable (LoadError?) -> Void
  package typealias Received = @Sendable (Result<WebSocketMessage, LoadError>) -> Void

  enum Phase {
    case connecting
    case open
    /// The app has closed the WebSocket; the session waits for the peer's close frame.
    case closing
    /// The closing handshake is complete or the WebSocket has failed; the session waits for the connection's end. The error is the task's.
    case draining(LoadError?)
    /// The session has ended; later calls get this error.
    case ended(LoadError)
  }

  /// A message that hasn't been sent completely.
  struct Outgoing {
    let content: WebSocketContent
    var progress: WebSocketWriter.Progress?
    let sent: Sent
  }

  /// A caller that waits for a message.
  struct Receiver {
    let ticket: ReceiveTicket?
    let received: Received
  }

  /// A ping whose pong hasn't arrived.
  struct Ping {
    let number: UInt32
    let answered: Sent
  }

  /// The number of unread bytes of messages from which on no more is read from the connection, and what a message counts for besides its payload.
  package static let inboxLimit = 256 * 1024
  static let messageOverhead = 64
  /// Seconds that the app has to receive or answer the last messages before the peer's end, or its violation of the protocol, is acted on.
  static let catchUpTimeout = 0.5
  /// Seconds since the app last asked for a message, after which it is told of the peer's end although messages are unread.
  static let unreadTimeout = 5.0

  package let executor: LoopExecutor
  private let protocols: [String]
  private let offersCompression: Bool
  private var handshake: WebSocketHandshake?
  weak var events: (any WebSocketEvents)?
  var phase = Phase.connecting
  var context: LoadContext?
  var exchange: Exchange?

  var reader: WebSocketReader
  var inbox = CircularBuffer<WebSocketMessage>(initialCapacity: 1)
  var inboxBytes = 0
  var receivers = CircularBuffer<Receiver>(initialCapacity: 1)
  var room: UnsafeContinuation<Void, Never>?
  /// The number of messages that the peer has sent so far.
  var messageCount = 0
  /// The number of messages that `receive` has returned to the app.
  var handedCount = 0
  /// Whether the app has ever asked for a message.
  var hasAsked = false
  /// Whether a Swift task was given the last message and hasn't asked for another: it may not have seen it yet.
  var isInHand = false
  /// Whether the app has closed the WebSocket while it was open.
  var isClosedByApp = false
  /// Tells the app of the peer's end; nil unless that is held back because messages are unread.
  var heldEnd: (() -> Void)?
  var holdDeadline: Instant?
  var endTold: UnsafeContinuation<Void, Never>?

  var writer = WebSocketWriter(compression: nil)
  var outgoing = CircularBuffer<Outgoing>(initialCapacity: 1)
  /// The app's close frame, which is sent behind the queued messages; nil if there is none or it has been sent.
  var queuedClose: WebSocketClose?
  var isCloseSent = false
  /// Limits the time of the closing handshake that the app has begun.
  var closeWatch = WebSocketCloseWatch(left: 0, received: 0)
  /// The payloads of pings that haven't been answered; of more than `pongLimit` only the latest are (RFC 6455, 5.5.3).
  var pongs = CircularBuffer<ByteBuffer>(initialCapacity: 1)
  static let pongLimit = 64
  var pings: [Ping] = []
  var unsentPings: [UInt32] = []
  var pingCount: UInt32 = 0
  var isPumpPlanned = false
  /// The buffer for frames, reused for the next write once the socket has taken it.
  var batchRoom = ByteBuffer()

  package init(executor: LoopExecutor, protocols: [String], offersCompression: Bool, maximumMessageSize: Int) {
    self.executor = executor
    self.protocols = protocols
    self.offersCompression = offersCompression
    reader = WebSocketReader(maximumMessageSize: maximumMessageSize, compression: nil)
  }

  // MARK: the load

  /// The load begins: sets its context and the receiver of events.
  package func begin(_ context: LoadContext, _ events: any WebSocketEvents) {
    self.context = context
    self.events = events
  }

  /// Adds the fields of the opening handshake to a request.
  package func prepare(_ fields: inout HeaderFields, for opening: WebSocketHandshake.Opening) {
    var generator = SystemRandomNumberGenerator()
    let nonce = (0..<2).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
    var handshake = WebSocketHandshake(opening, nonce: nonce, protocols: protocols, offersCompression: offersCompression)
    handshake.apply(to: &fields)
    self.handshake = handshake
  }

  /// Sends and receives frames over `exchange` until the WebSocket is closed. Throws what the task fails with.
  package func run(_ head: ResponseHead, over exchange: Exchange) async throws(LoadError) {
    guard let handshake, let context else { throw LoadError(.unknown, .head, "the WebSocket has no request") }
    open(try handshake.agreement(head), exchange, context)
    var failure: LoadError?
    do throws(LoadError) {
      while let bytes = try await exchange.nextChunk() {
        // After a close frame the connection is read only to notice its end.
        guard isReading else { continue }
        reader.append(bytes)
        await takeIn()
      }
    } catch {
      failure = error
    }
    if isReading { vanished(failure) }
    await waitUntilEndIsTold()
    try finish(failure)
  }

  private func open(_ agreement: WebSocketAgreement, _ exchange: Exchange, _ context: LoadContext) {
    self.exchange = exchange
    phase = .open
    reader = WebSocketReader(maximumMessageSize: reader.maximumMessageSize, compression: agreement.compression)
    writer = WebSocketWriter(compression: agreement.compression)
    // An open WebSocket has no request timeout: it may be idle for as long as it likes.
    context.idleTimeout = .infinity
    context.waits(on: self)
    exchange.whenWritable = { [weak self] in self?.planPump() }
    events?.webSocketOpened(subprotocol: agreement.subprotocol)
    planPump()
  }

  /// The connection has ended without a close frame of the peer.
  private func vanished(_ failure: LoadError?) {
    let error =
      failure ?? LoadError(.networkConnectionLost, .body, "the server closed the connection without closing the WebSocket first")
    phase = .draining(error)
    failSending(error)
    afterMessages { [self] in
      events?.webSocketWillClose(code: 1006, reason: [])
      failReceiving(error)
    }
  }

  /// Throws the task's error, after the connection has ended and the app has been told.
  private func finish(_ failure: LoadError?) throws(LoadError) {
    if case .draining(let error) = phase {
      if let error { throw error }
    } else if let failure {
      throw failure
    }
  }

  /// The load has ended: all waiting callers get `error`, or `ENOTCONN` without one.
  package func end(_ error: LoadError?) {
    let reason = error ?? .notConnected
    tellEnd()
    phase = .ended(reason)
    if error?.kind == .cancelled { dropInbox() }
    failSending(reason)
    failReceiving(reason)
    exchange?.whenWritable = nil
    (exchange, context) = (nil, nil)
  }

  // MARK: interruption

  package func interrupt(_ error: LoadError) {
    if !isCloseSent {
      events?.webSocketWillClose(code: 1001, reason: [])
      sendNow(close: WebSocketClose(code: 1001, reason: nil))
    }
    // A WebSocket whose closing handshake is complete ends with that result, even if it is interrupted while waiting for the connection's end.
    if case .draining = phase {} else { phase = .draining(error) }
    tellEnd()
    makeRoom()
    exchange?.interrupt(error)
  }

  package func suspensionEnded() {
    exchange?.suspensionEnded()
    planPump()
  }
}
