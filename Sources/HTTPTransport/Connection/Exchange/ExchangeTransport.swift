import LoadingModel
import NIOCore

/// What an exchange asks of the connection it runs on, whatever the version of HTTP.
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
  /// The reader has room again.
  func demand(_ exchange: Exchange)
  /// Gives the exchange up; the transport decides what becomes of the connection.
  func cancel(_ exchange: Exchange)
  /// Whether `send` would reach the socket rather than pile up.
  func isWritable(_ exchange: Exchange) -> Bool
  /// The response may be read on, which was held behind its head.
  func release(_ exchange: Exchange)
  /// The first bytes of a held response's body, which stay unread; empty if there are none. nil if they have still to come: then they are
  /// read from the socket, and `heldBytesCame` is called.
  func peekHeld(_ exchange: Exchange) -> ByteBuffer?
  /// Lets `take` read body bytes from the connection's socket itself; how many it took. 0 where nothing else than the connection may read.
  func readDirectly(_ exchange: Exchange, atMost limit: Int, _ take: (_ socket: CInt, _ count: Int) -> Int) -> Int
  /// Gives the connection away, positioned behind the response's head; nil if that can't be.
  func handOver(_ exchange: Exchange) -> (any StreamSource)?
  /// Tells the server how urgent the exchange is now, where the protocol can.
  func priorityChanged(_ exchange: Exchange)
  /// As `send(_:of:)`; `written` succeeds when the system has taken the bytes.
  func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?)
  /// Bytes sent that the socket, or the stream's window, hasn't taken yet.
  func unwrittenBytes(of exchange: Exchange) -> Int
  /// Nothing follows of the protocol that the exchange was switched to, where one direction can end by itself.
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

  /// Where it can't be told when the system has taken the bytes, it is when they have been queued.
  package func send(_ bytes: ByteBuffer, of exchange: Exchange, written: EventLoopPromise<Void>?) {
    send(bytes, of: exchange)
    written?.succeed()
  }
}
