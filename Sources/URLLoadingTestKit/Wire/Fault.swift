#if TestKit
  import Foundation

  /// A disturbance of the server's answer to one request. Several faults can be combined.
  ///
  /// A disconnection closes the TCP connection without TLS's close_notify alert, as a crashed peer does. Over HTTP/3 it closes the connection with
  /// H3_NO_ERROR, and a reset closes it with H3_INTERNAL_ERROR: without such a message, the client would notice the end only by a timeout.
  public enum Fault: Sendable {
    /// No part of the reply is sent until the gate lets it pass.
    case delayBeforeHeaders(Gate)
    /// The status line and headers are sent; the body waits at the gate.
    case delayBeforeBody(Gate)
    /// The body is sent in pieces of `chunkSize` bytes, each by a write of its own. With a gate, each piece waits there first.
    case trickle(chunkSize: Int, gate: Gate? = nil)
    /// The reply stops after this many body bytes: until the gate opens, or forever without a gate.
    case stallAfter(bodyBytes: Int, gate: Gate? = nil)
    /// The connection is closed after the request, before any byte of the reply.
    case disconnectBeforeHeaders
    /// The connection is closed after the status line and headers.
    case disconnectAfterHeaders
    /// The connection is closed after this many body bytes.
    case disconnectAfterBodyBytes(Int)
    /// The reply is broken off after this many body bytes have been sent: over HTTP/1 by a disconnection, over HTTP/2 and HTTP/3 by a reset of the
    /// stream. The reset doesn't affect other streams, and the client still gets the bytes before it.
    case breakOffAfter(bodyBytes: Int)
    /// The other faults' disconnections of this reply are TCP resets. Without such a fault, the connection is reset before any byte of the reply.
    case reset
    /// These bytes are sent instead of the reply, and the connection is closed.
    case garbage(Data)
    /// `Content-Length` has this value, whatever the body's length is.
    case wrongContentLength(Int)
    /// The server closes the connection after the reply, with or without announcing it by `Connection: close`.
    case closeAfterReply(announce: Bool)
    /// The request's body isn't read until the gate allows it, so that the client experiences back-pressure. Needs a reply that is known when the
    /// request begins: one from `enqueue` or a fixed route.
    case slowReader(Gate)
    /// The reply is sent as soon as the request's headers have arrived; the body is read and dropped. Needs a reply that is known when the request
    /// begins, as `slowReader` does.
    case replyBeforeRequestBody
    /// The informational responses are sent as soon as the request's headers have arrived, even if the final response is held back. Needs a reply
    /// that is known when the request begins, as `slowReader` does.
    case informationalAtOnce
    /// The exchange is broken off, as by `breakOffAfter`, without a final response once this many bytes of the request's body have arrived. A shorter
    /// request is answered. Needs a reply that is known when the request begins, as `slowReader` does, and a request that is read at once.
    case breakOffWithinRequest(bodyBytes: Int)
    /// A header field `X-Oversized` with a value of this many bytes is added.
    case oversizedHeaders(bytes: Int)
    /// HTTP/2: the stream is reset with this error code instead of a reply, such as 7 (REFUSED_STREAM) or 13 (HTTP_1_1_REQUIRED). HTTP/3: it is reset
    /// with the corresponding code (RFC 9114, A.4), or with this code if that is one of HTTP/3's.
    case resetStream(code: Int)
    /// HTTP/2 and HTTP/3: the server sends GOAWAY. If the request counts as processed, its reply follows; otherwise there is none.
    case goAway(isProcessed: Bool)
  }
#endif
