#if TestKit
  import Foundation

  /// A request as the server received it. Tests inspect it afterwards, and the closures of routes choose the reply by it.
  public struct RecordedRequest: Sendable {
    /// Facts about the connection that carried the request.
    public struct Connection: Sendable {
      /// The connection's number: 1 for the first that the server accepted. Requests with the same ordinal shared a connection.
      public let ordinal: Int
      /// The version of TLS; nil without TLS.
      public internal(set) var tlsVersion: TestServer.TLSVersion?
      /// The ALPN identifier agreed on, such as "http/1.1"; nil without TLS or ALPN.
      public internal(set) var negotiatedProtocol: String?
      /// The client's certificate in DER, if the server asked for one and the client sent it.
      public internal(set) var clientCertificate: Data?

      init(ordinal: Int) { self.ordinal = ordinal }
    }

    /// The method, as sent.
    public let method: String
    /// The request target as sent, query included; absolute when sent to a proxy.
    public let uri: String
    /// The protocol version: "HTTP/1.1", "HTTP/1.0", "HTTP/2" or "HTTP/3".
    public let version: String
    /// The header fields in the order in which they came.
    public let headers: HeaderList
    /// The request's body: its first `TestServer.Options.recordedBodyLimit` bytes.
    public internal(set) var body = Data()
    /// The number of body bytes received so far, including those that aren't kept in `body`, without the transfer coding.
    public internal(set) var bodyLength = 0
    /// Trailer fields, received after the body.
    public internal(set) var trailers = HeaderList()
    /// Whether the request has been received completely.
    public internal(set) var isComplete = false
    /// The error code with which the client reset the stream, of HTTP/2, such as 8 (CANCEL), or of HTTP/3, such as 0x10C (H3_REQUEST_CANCELLED); nil
    /// if the client didn't reset it.
    public internal(set) var resetCode: Int?
    /// The connection that carried the request.
    public let connection: Connection
    /// The values of the `{name}` segments of the matching route, percent-decoded. Empty in the server's record.
    public internal(set) var parameters: [String: String] = [:]

    init(method: String, uri: String, version: String, headers: HeaderList, connection: Connection) {
      self.method = method
      self.uri = uri
      self.version = version
      self.headers = headers
      self.connection = connection
    }

    /// The path of the target, without the query and still percent-encoded.
    public var path: String {
      var rest = uri[...]
      if !rest.hasPrefix("/"), let scheme = rest.range(of: "://") {
        rest = rest[scheme.upperBound...]
        guard let slash = rest.firstIndex(of: "/") else { return "/" }
        rest = rest[slash...]
      }
      return String(rest.prefix { $0 != "?" && $0 != "#" })
    }

    /// The query items in order, percent-decoded.
    public var query: [(name: String, value: String)] {
      guard let mark = uri.firstIndex(of: "?") else { return [] }
      return uri[uri.index(after: mark)...].split(separator: "&").map { item in
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (RecordedRequest.decode(parts[0]), parts.count > 1 ? RecordedRequest.decode(parts[1]) : "")
      }
    }

    /// The value of the first query item called `name`; nil if there is none.
    public func argument(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The body as far as it is kept, decoded as UTF-8 with invalid sequences replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    private static func decode(_ text: Substring) -> String {
      let plain = text.replacingOccurrences(of: "+", with: " ")
      return plain.removingPercentEncoding ?? plain
    }
  }
#endif
