#if TestKit
  extension TestServer {
    /// The options of a test server that concern only HTTP/3.
    public struct HTTP3: Sendable {
      /// Whether the server answers a new client by a Retry packet first (RFC 9000, 8.1.2), so that the client has to prove that it receives
      /// datagrams at its address.
      public var sendsRetry = false
      /// How the server treats requests in the first flight of a resumed connection (0-RTT).
      public enum EarlyData: Sendable {
        /// The server's session tickets don't allow early data.
        case none
        /// The session tickets allow early data, and the server accepts it.
        case accepted
        /// The session tickets allow early data, but every connection except the server's first refuses it.
        case refused
        /// The session tickets allow early data, but every connection except the server's first can't decrypt them, and does a full handshake.
        case forgotten
      }

      /// How the server treats requests in the first flight of a resumed connection (0-RTT). The default doesn't allow any.
      public var earlyData = EarlyData.none
      /// The idle timeout in seconds: a connection without packets for this long is closed. nil for the QUIC library's default.
      public var idleTimeout: Double?
      /// Whether every reply has an `Alt-Svc` field (RFC 7838) which says that the server speaks HTTP/3 at its own port.
      public var isAdvertised = false
      /// The flow-control window of a stream, in bytes: how much of a request the client may send ahead. nil for the QUIC library's default.
      public var streamWindow: Int?
    }
  }

  extension TestServer.Options {
    /// HTTP/3 for clients that connect by QUIC, to the UDP port of the same number; HTTP/2 or HTTP/1.1 over TLS for clients that connect by TCP.
    public static func http3(_ certificate: TestCertificate) -> TestServer.Options {
      var options = http2(certificate)
      options.applicationProtocols = ["h3"] + options.applicationProtocols
      return options
    }
  }
#endif
