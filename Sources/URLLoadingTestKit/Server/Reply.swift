#if TestKit
  import Foundation

  /// A reply of a test server: the response to one request, and the faults that disturb it.
  public struct Reply: Sendable {
    /// The content of a reply.
    public enum Body: Sendable {
      /// No content: `Content-Length: 0`, or no such field where the status forbids one.
      case none
      /// The content is this data.
      case bytes(Data)
      /// `count` repetitions of one byte, generated while they are sent.
      case repeating(UInt8, count: Int)
      /// The letters a to z over and over: `count` bytes that begin at offset `from` of the pattern, generated while they are sent. Truncated or
      /// shifted content is recognizable.
      case pattern(from: Int = 0, count: Int)
      /// A sequence of pieces, each sent as one chunk of a chunked body unless the framing says otherwise. Empty pieces are left out.
      case chunks([Data])

      /// The UTF-8 bytes of `text`.
      public static func text(_ text: String) -> Body { .bytes(Data(text.utf8)) }
    }

    /// How the end of the body is marked.
    public enum Framing: Sendable {
      /// Chunked for `.chunks` and for replies with trailers, `Content-Length` for all others. HTTP/1.0 clients don't know chunks: for them, the
      /// connection is closed at the end instead.
      case automatic
      /// The field `Content-Length`.
      case contentLength
      /// The field `Transfer-Encoding: chunked`.
      case chunked
      /// The body ends with the connection.
      case untilClose
    }

    /// An informational (1xx) response, sent before the final one.
    public struct Informational: Sendable {
      /// The status code, 100 to 199.
      public var status: Int
      /// The header fields.
      public var headers: HeaderList

      /// An informational response, such as 103 with `Link` fields.
      public init(_ status: Int, headers: HeaderList = [:]) {
        self.status = status
        self.headers = headers
      }
    }

    /// The status code. Default 200.
    public var status: Int
    /// The reason phrase; nil for the standard one of the status.
    public var reason: String?
    /// The protocol version in the status line. Default "HTTP/1.1".
    public var version = "HTTP/1.1"
    /// The header fields, sent unchanged. `Content-Length`, `Transfer-Encoding` and `Connection` given here replace the server's own.
    public var headers: HeaderList
    /// The body.
    public var body: Body
    /// How the end of the body is marked.
    public var framing: Framing
    /// Trailer fields, sent after the body, which is then chunked.
    public var trailers: HeaderList
    /// Informational responses, sent in order before the final one.
    public var informational: [Informational]
    /// The faults that disturb the reply.
    public var faults: [Fault]
    /// The WebSocket that is opened if the request asks for one; nil for an ordinary reply.
    var webSocket: WebSocketService?

    /// A reply from its parts; each has a default.
    public init(
      _ status: Int = 200, headers: HeaderList = [:], body: Body = .none, framing: Framing = .automatic, trailers: HeaderList = [:],
      informational: [Informational] = [], faults: [Fault] = []
    ) {
      self.status = status
      self.headers = headers
      self.body = body
      self.framing = framing
      self.trailers = trailers
      self.informational = informational
      self.faults = faults
    }
  }
#endif
