#if TestKit
  import Foundation

  /// Something that goes wrong, or is held back, while the server answers one request. Faults combine.
  ///
  /// A disconnection closes the TCP connection without TLS's closing alert, as a crashed peer does. Over HTTP/3 it closes the connection with
  /// H3_NO_ERROR, a reset with H3_INTERNAL_ERROR: what says nothing would be noticed by timers alone.
  public enum Fault: Sendable {
    /// Nothing of the reply is sent before the gate lets it pass.
    case delayBeforeHeaders(Gate)
    /// Status line and headers are sent; the body waits for the gate.
    case delayBeforeBody(Gate)
    /// The body is sent in pieces of `chunkSize` bytes, each written on its own; with a gate, each piece waits there first.
    case trickle(chunkSize: Int, gate: Gate? = nil)
    /// The reply stops after so many body bytes: until the gate opens, or for good.
    case stallAfter(bodyBytes: Int, gate: Gate? = nil)
    /// The connection ends after the request, without a byte of reply.
    case disconnectBeforeHeaders
    /// The connection ends after status line and headers.
    case disconnectAfterHeaders
    /// The connection ends after so many body bytes.
    case disconnectAfterBodyBytes(Int)
    /// The reply breaks off once the client's side has been sent so many body bytes: HTTP/1 by a disconnection, HTTP/2 and
    /// HTTP/3 by a reset of the stream, which leaves other streams alone and overtakes none of those bytes.
    case breakOffAfter(bodyBytes: Int)
    /// Disconnections of this reply are a TCP reset; without one, the connection is reset before any byte of reply.
    case reset
    /// These bytes are sent in place of the reply, and the connection ends.
    case garbage(Data)
    /// `Content-Length` announces so many bytes, whatever the body's length is.
    case wrongContentLength(Int)
    /// The server closes the connection after the reply, with or without announcing it by `Connection: close`.
    case closeAfterReply(announce: Bool)
    /// The request's body isn't read before the gate lets it: its sender meets back-pressure. Needs a reply that is known when the
    /// request begins, that is: one from `enqueue` or a fixed route.
    case slowReader(Gate)
    /// The reply is sent as soon as the request's headers have come; the body is read and dropped. Needs a reply as above.
    case replyBeforeRequestBody
    /// The informational responses are sent as soon as the request's headers have come, whatever holds back the rest of the reply. Needs a
    /// reply as above.
    case informationalAtOnce
    /// The exchange breaks off, as by `breakOffAfter`, once so many bytes of the request's body have come, without a final response. A
    /// request with fewer is answered. Needs a reply as above, whose request is read at once.
    case breakOffWithinRequest(bodyBytes: Int)
    /// A header field `X-Oversized` with a value of so many bytes is added.
    case oversizedHeaders(bytes: Int)
    /// HTTP/2: the stream is reset with this error code in place of a reply, such as 7 (REFUSED_STREAM) or 13 (HTTP_1_1_REQUIRED). HTTP/3: with
    /// the code that this one translates into (RFC 9114, A.4), or with this one if it is HTTP/3's own.
    case resetStream(code: Int)
    /// HTTP/2 and HTTP/3: the server sends GOAWAY. If the request counts as processed, its reply follows; else none does.
    case goAway(isProcessed: Bool)
  }
#endif
