import LoadingModel
import NIOCore
import ProtocolRules

/// What a WebSocket session reports beside its messages; implemented by the public layer. Called on the event loop.
package protocol WebSocketEvents: AnyObject {
  func webSocketOpened(subprotocol: String?)
  /// Why the WebSocket is closed or about to be: known before the task ends.
  func webSocketWillClose(code: Int, reason: [UInt8])
  /// The peer's close frame has come.
  func webSocketClosed(by close: WebSocketClose)
}

/// One WebSocket, from the app's first call to its end (RFC 6455): what is to be sent, what has come and wasn't received yet, and which
/// callers wait.
///
///     connecting -> open -> closing -> draining -> ended
///                     \________\__________\________^      (an interruption ends it from anywhere)
///
/// Runs over an `Exchange` whose connection was switched to it, whatever version of HTTP that is. Owned by its task; confined to the event
/// loop of the task's session.
package final class WebSocketSession: Interruptible, @unchecked Sendable {
  // @unchecked: made by the task on any thread; from then on everything but the immutable `executor`, `protocols` and `offersCompression`
  // is confined to the executor's event loop.
  package typealias Sent = @Sendable (LoadError?) -> Void
  package typealias Received = @Sendable (Result<WebSocketMessage, LoadError>) -> Void

  enum Phase {
    case connecting
    case open
    /// The app has asked for the end; the peer's close frame is awaited.
    case closing
    /// Nothing is exchanged any more; the connection's end is awaited. The error is the task's.
    case draining(LoadError?)
    /// The error is what later calls are answered with.
    case ended(LoadError)
  }

  /// A message that hasn't left yet.
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

  /// A ping that hasn't been answered.
  struct Ping {
    let number: UInt32
    let answered: Sent
  }

  /// Bytes of messages that may wait for `receive` before nothing more is read, and what a message counts for beside its payload.
  package static let inboxLimit = 256 * 1024
  static let messageOverhead = 64
  /// Seconds that the app has to answer messages before the peer's breach of the rules that came behind them ends the WebSocket.
  static let catchUpTimeout = 0.5
  /// Seconds since it last asked for a message that the app has for those that came before the peer's end.
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
  /// Messages that have come.
  var messageCount = 0
  /// The number of messages that the app has received.
  var handedCount = 0
  /// Whether the app has ever asked for a message.
  var hasAsked = false
  /// Whether a Swift task was given the last message and hasn't asked for another: it may not have seen it yet.
  var isInHand = false
  /// Whether the app has asked for the end of an open WebSocket.
  var isClosedByApp = false
  /// Tells of the peer's end; held back while messages that came before it are unread.
  var heldEnd: (() -> Void)?
  var holdDeadline: Instant?
  var endTold: UnsafeContinuation<Void, Never>?

  var writer = WebSocketWriter(compression: nil)
  var outgoing = CircularBuffer<Outgoing>(initialCapacity: 1)
  /// The app's close frame, behind the messages.
  var queuedClose: WebSocketClose?
  var isCloseSent = false
  /// Since the app has asked for the end.
  var closeWatch = WebSocketCloseWatch(left: 0, received: 0)
  /// Payloads to be sent back. Of more than the limit the latest will do (5.5.3).
  var pongs = CircularBuffer<ByteBuffer>(initialCapacity: 1)
  static let pongLimit = 64
  var pings: [Ping] = []
  var unsentPings: [UInt32] = []
  var pingCount: UInt32 = 0
  var isPumpPlanned = false
  /// Room for frames; given back by the socket once they have been written.
  var batchRoom = ByteBuffer()

  package init(executor: LoopExecutor, protocols: [String], offersCompression: Bool, maximumMessageSize: Int) {
    self.executor = executor
    self.protocols = protocols
    self.offersCompression = offersCompression
    reader = WebSocketReader(maximumMessageSize: maximumMessageSize, compression: nil)
  }

  // MARK: the load

  /// The load begins.
  package func begin(_ context: LoadContext, _ events: any WebSocketEvents) {
    self.context = context
    self.events = events
  }

  /// Makes a request's fields those of an opening handshake.
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
        // What comes behind a close frame is read for its end only.
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
    // An open WebSocket may be silent for as long as it likes.
    context.idleTimeout = .infinity
    context.waits(on: self)
    exchange.whenWritable = { [weak self] in self?.planPump() }
    events?.webSocketOpened(subprotocol: agreement.subprotocol)
    planPump()
  }

  /// The connection has ended before the WebSocket was closed.
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

  /// The connection has ended, and the app knows.
  private func finish(_ failure: LoadError?) throws(LoadError) {
    if case .draining(let error) = phase {
      if let error { throw error }
    } else if let failure {
      throw failure
    }
  }

  /// The load has ended: answers all waiting callers.
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
    // A WebSocket that has been closed has ended well, whatever the app does while the connection's end is awaited.
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
