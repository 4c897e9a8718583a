import LoadingModel
import NIOCore

/// The interface of a connection to its exchange, for every version of HTTP.
///
/// All calls on the connection's event loop.
package protocol ExchangeTransport: AnyObject {
  /// Sends request bytes as body; the transport adds the framing.
  func send(_ bytes: ByteBuffer, of exchange: Exchange)
  /// Sends a part of a file as body, without its bytes passing through this process. Only where `takesFiles`.
  func send(_ part: FilePart, of exchange: Exchange)
  /// Whether the system can send a file's bytes by itself: nothing in between, such as TLS, has to see them.
  var takesFiles: Bool { get }
  /// The request body is complete; these fields follow it. Over HTTP/1.1 only a body in chunks has some.
  func finish(_ exchange: Exchange, _ trailers: HeaderFields)
  /// The exchange has room for body bytes again: the connection reads on.
  func demand(_ exchange: Exchange)
  /// Ends the exchange before it is complete; the transport decides whether the connection is kept or its stream reset.
  func cancel(_ exchange: Exchange)
  /// Whether bytes given to `send` would go to the socket at once, instead of being buffered here.
  func isWritable(_ exchange: Exchange) -> Bool
  /// Reads on behind the response's head, where the body had been held (`Exchange.isHeld`).
  func release(_ exchange: Exchange)
  /// The first bytes of a held response's body, without consuming them; empty if the body has none. nil if none has arrived: then the connection
  /// reads from its socket and calls `heldBytesCame`.
  func peekHeld(_ exchange: Exchange) -> ByteBuffer?
  /// Lets `take` read body bytes directly from the socket, and returns how many it has taken. 0 where the bytes must pass through the connection
  /// (TLS, chunks, streams).
  func readDirectly(_ exchange: Exchange, atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int
  /// Detaches the connection, positioned behind the response's head, for the app's use; nil where that isn't possible.
  func handOver(_ exchange: Exchange) -> (any StreamSource)?
  /// Tells the server the exchange's new priority, where the protocol has priorities (HTTP/2, HTTP/3).
  func priorityChanged(_ exchange: Exchange)
  /// As `send(_:of:)`; `written` succeeds when the system has taken the bytes.
  func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?)
  /// Bytes sent that the socket, or the stream's window, hasn't taken yet.
  func unwrittenBytes(of exchange: Exchange) -> Int
  /// Bytes sent that the peer hasn't acknowledged, those included that wait here and in the system's buffer.
  func unacknowledgedBytes(of exchange: Exchange) -> Int
  /// Ends the sending direction of the protocol that the exchange was switched to, where the protocol allows half-closing.
  func finishSwitched(_ exchange: Exchange)
}

extension ExchangeTransport {
  package func finish(_ exchange: Exchange) { finish(exchange, HeaderFields()) }
  package func priorityChanged(_ exchange: Exchange) {}
  package func release(_ exchange: Exchange) {}
  package func peekHeld(_ exchange: Exchange) -> ByteBuffer? { ByteBuffer() }
  package func readDirectly(_ exchange: Exchange, atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int { 0 }
  package func handOver(_ exchange: Exchange) -> (any StreamSource)? { nil }
  package func finishSwitched(_ exchange: Exchange) {}
  package func unwrittenBytes(of exchange: Exchange) -> Int { 0 }
  package func unacknowledgedBytes(of exchange: Exchange) -> Int { 0 }

  /// The default for transports that don't know when the system takes the bytes: `written` succeeds once they are queued.
  package func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?) {
    send(bytes, of: exchange)
    written?.succeed()
  }
}
