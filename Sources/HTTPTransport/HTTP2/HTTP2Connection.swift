import HTTPPolicy
import LoadingModel
import NIOCore
import NIOTLS

/// One HTTP/2 connection (RFC 9113): the handler of its channel that reads and writes frames, carrying many exchanges at a time.
///
///     connecting -> open -> leaving -> closed
///     (each state may also go to closed at once)
///
/// Owned by the pool; confined to its event loop.
package final class HTTP2Connection: ChannelInboundHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  package typealias InboundIn = ByteBuffer

  private enum State {
    case connecting(EventLoopPromise<Void>)
    case open
    /// No new streams; those that are open end as they may.
    case leaving
    case closed
  }

  package let id: Int
  package let origin: Origin
  package let timings: ConnectTimings
  /// Set once the connection is ready.
  package private(set) var facts: ConnectionFacts?
  /// How its server came to be accepted.
  package private(set) var peerAcceptance: PeerAcceptance = []
  /// Exchanges begun on this connection.
  @exclusivity(unchecked) package private(set) var exchangeCount = 0

  private let clock: any LoadClock
  private let session: TLSSessionSlot?
  private weak var owner: (any MultiplexedConnectionOwner)?
  @exclusivity(unchecked) private var state: State
  @exclusivity(unchecked) private var context: ChannelHandlerContext?

  init(
    id: Int, origin: Origin, timings: ConnectTimings, clock: any LoadClock, session: TLSSessionSlot?,
    ready: EventLoopPromise<Void>, owner: any MultiplexedConnectionOwner
  ) {
    self.id = id
    self.origin = origin
    self.timings = timings
    self.clock = clock
    self.session = session
    self.owner = owner
    state = .connecting(ready)
  }

  // MARK: for the pool and the load

  /// Begins an exchange on a stream of its own; to be called while `availableStreams` isn't zero. `body` is sent with the head; it is
  /// all there is if `endsWithBody`.
  /// - Returns: Length of the request's encoded head in bytes.
  package func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
    exchange.fail(LoadError(.networkConnectionLost, .send, "the server closed the connection before the request was sent"))
    return 0
  }

  /// Exchanges that can begin now: none unless the connection is open, and none once the server has announced that it goes away.
  package var availableStreams: Int { 0 }

  /// Exchanges under way.
  package var openStreams: Int { 0 }

  /// Whether exchanges can begin, now or when others have ended.
  package var isOpen: Bool {
    if case .open = state { true } else { false }
  }

  /// Whether the server speaks WebSocket over HTTP/2 (RFC 8441).
  package var allowsExtendedConnect: Bool { false }

  /// Closes the connection at once; what is under way fails.
  package func close() { context?.close(mode: .all, promise: nil) }

  /// Begins nothing more, and closes when what is under way has ended.
  package func shutDown() {}

  /// The TLS handshake is over, and its ALPN has chosen HTTP/2. Called by itself if this handler saw the event.
  package func handshakeEnded() {}
}

extension HTTP2Connection: ExchangeTransport {
  package var takesFiles: Bool { false }
  package func send(_ bytes: ByteBuffer, of exchange: Exchange) {}
  package func send(_ part: FilePart, of exchange: Exchange) {}
  package func finish(_ exchange: Exchange) {}
  package func demand(_ exchange: Exchange) {}
  package func cancel(_ exchange: Exchange) {}
  package func isWritable(_ exchange: Exchange) -> Bool { true }
}

/// Whoever keeps connections that carry many exchanges: told when they can take more, or no more.
///
/// All calls on the event loop; the connection may be asked things, told to close and be given exchanges from within.
package protocol MultiplexedConnectionOwner: AnyObject {
  /// There are more `availableStreams` than before: an exchange has ended, or the server allows more.
  func connectionGainedStreams(_ connection: HTTP2Connection)
  /// No exchange can begin any more; those that the server has taken on go to their ends. `connectionClosed` follows.
  func connectionGoesAway(_ connection: HTTP2Connection)
  /// The connection is gone, and its exchanges have ended. Once for each connection that was ready.
  func connectionClosed(_ connection: HTTP2Connection)
}
