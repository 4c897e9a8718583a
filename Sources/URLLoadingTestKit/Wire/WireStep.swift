#if TestKit
  import Foundation
  import NIOCore

  /// One step of what the server does on a connection: replies and raw scripts are both lists of these.
  enum WireStep: Sendable {
    /// Bytes as they are.
    case send(ByteBuffer)
    case payload(Payload, Pace)
    case pass(Gate)
    /// Nothing more happens until the peer closes.
    case hold
    case read(ReadGoal)
    /// Sends back what comes in, until the peer has closed its side.
    case echo
    case startTLS(TestCertificate)
    /// HTTP/2: a field section.
    case fields(StreamFields)
    /// HTTP/2: what it alone has.
    case act(StreamAct)
    case closeOutput
    case disconnect(Disconnection)

    /// How a payload is cut up.
    struct Pace: Sendable {
      var pieceSize = Payload.pieceLimit
      /// Each piece is a chunk of the chunked transfer coding.
      var isChunked = false
      /// Each piece is written on its own.
      var isSeparate = false
      /// Each piece waits here.
      var gate: Gate?
    }

    /// When a raw script has read enough.
    enum ReadGoal: Sendable {
      case until(Data)
      case count(Int)
      case end
    }

    /// How a connection is ended.
    enum Disconnection: Sendable {
      /// After TLS's closing alert, where TLS is in use.
      case orderly
      /// The TCP connection is closed as it is.
      case abrupt
      /// By a TCP reset.
      case reset
      /// No more than the exchange ends, where the connection carries others too (HTTP/2); else as `abrupt`.
      case exchange
    }
  }
#endif
