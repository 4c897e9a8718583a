#if TestKit
  import Foundation

  /// A reply as a value: what the server is to send for one request, faults included.
  public struct Reply: Sendable {
    /// The content of a reply.
    public enum Body: Sendable {
      /// No content: `Content-Length: 0`, or no such field where the status forbids one.
      case none
      /// These bytes.
      case bytes(Data)
      /// One byte, `count` times: made while it is sent, never held.
      case repeating(UInt8, count: Int)
      /// The letters a to z over and over, `count` bytes beginning at offset `from`: made while it is sent, and any cut is recognizable.
      case pattern(from: Int = 0, count: Int)
      /// These pieces, each one chunk of a chunked body unless the framing says otherwise. Empty pieces are left out.
      case chunks([Data])

      /// The UTF-8 bytes of `text`.
      public static func text(_ text: String) -> Body { .bytes(Data(text.utf8)) }
    }

    /// How the client is told where the body ends.
    public enum Framing: Sendable {
      /// Chunked for `.chunks` and for replies with trailers, `Content-Length` for all others; until close for HTTP/1.0 clients
      /// that would need chunks.
      case automatic
      /// `Content-Length`.
      case contentLength
      /// `Transfer-Encoding: chunked`.
      case chunked
      /// By the end of the connection.
      case untilClose
    }

    /// An interim response, sent before the final one.
    public struct Informational: Sendable {
      /// 100 to 199.
      public var status: Int
      /// The header fields.
      public var headers: HeaderList

      /// An interim response of `status`, such as 103 with `Link` fields.
      public init(_ status: Int, headers: HeaderList = [:]) {
        self.status = status
        self.headers = headers
      }
    }

    /// The status code. Default 200.
    public var status: Int
    /// The reason phrase; nil for the customary one.
    public var reason: String?
    /// The protocol version of the status line. Default "HTTP/1.1".
    public var version = "HTTP/1.1"
    /// The header fields, sent as they are. Framing and `Connection` fields given here replace the server's own.
    public var headers: HeaderList
    /// The content.
    public var body: Body
    /// How the end of the content is marked.
    public var framing: Framing
    /// Header fields sent after the content, which is then chunked.
    public var trailers: HeaderList
    /// Interim responses, in order.
    public var informational: [Informational]
    /// What goes wrong.
    public var faults: [Fault]
    /// The WebSocket that a request for one is answered with.
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
