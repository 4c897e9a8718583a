#if TestKit
  import NIOCore
  import NIOHTTP1

  /// The handler that reads a client's requests of HTTP/1.
  enum RequestDecoding {
    /// A generic type whose argument is a generic class: Swift's runtime (6.3, on Linux) can read a null pointer where a thread asks for such a
    /// type while another makes it for the first time, as the event loops of two servers do. So it is made once, and what else asks waits.
    private static let type = ObjectIdentifier(ByteToMessageHandler<HTTPRequestDecoder>.self)

    static func handler() -> ByteToMessageHandler<HTTPRequestDecoder> {
      _ = type
      return ByteToMessageHandler(HTTPRequestDecoder())
    }
  }
#endif
