#if TestKit
  import Foundation
  import NIOCore

  /// One step of what the server does on a connection. Replies and raw scripts are both compiled into lists of these.
  enum WireStep: Sendable {
    /// Sends these bytes unchanged.
    case send(ByteBuffer)
    case payload(Payload, Pace)
    case pass(Gate)
    /// Stops the script until the peer closes the connection.
    case hold
    case read(ReadGoal)
    /// Sends received bytes back until the peer has closed its sending side.
    case echo
    case startTLS(TestCertificate)
    /// HTTP/2 and HTTP/3: sends a field section.
    case fields(StreamFields)
    /// HTTP/2 and HTTP/3: a step that HTTP/1 doesn't have.
    case act(StreamAct)
    case closeOutput
    case disconnect(Disconnection)

    /// How a payload is divided into pieces and when they are sent.
    struct Pace: Sendable {
      var pieceSize = Payload.pieceLimit
      /// Whether each piece is a chunk of the chunked transfer coding.
      var isChunked = false
      /// Whether each piece is written and flushed by itself.
      var isSeparate = false
      /// The gate at which each piece waits before it is written; nil for no wait.
      var gate: Gate?
    }

    /// When a `read` step of a raw script has read enough.
    enum ReadGoal: Sendable {
      case until(Data)
      case count(Int)
      case end
    }

    /// How a connection or an exchange is ended.
    enum Disconnection: Sendable {
      /// Closes the connection; with TLS, after the close_notify alert.
      case orderly
      /// Closes the TCP connection; with TLS, without the close_notify alert.
      case abrupt
      /// Ends the connection by a TCP reset.
      case reset
      /// Over HTTP/2 and HTTP/3, resets only the stream; over HTTP/1 the same as `abrupt`.
      case exchange
    }
  }
#endif
