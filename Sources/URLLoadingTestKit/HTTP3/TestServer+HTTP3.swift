#if TestKit
  extension TestServer {
    /// What HTTP/3 adds to a server's set-up.
    public struct HTTP3: Sendable {
      /// Whether clients must show that they receive what is sent to them, by a Retry packet (RFC 9000, 8.1.2), before they get an answer.
      public var sendsRetry = false
      /// What becomes of requests that come with the first flight of a resumed connection (0-RTT).
      public enum EarlyData: Sendable {
        /// No ticket allows them.
        case none
        /// Tickets allow them, and they are accepted.
        case accepted
        /// Tickets allow them, and all connections but the server's first refuse them.
        case refused
        /// Tickets allow them, and all connections but the server's first know none of the tickets: their handshakes are whole ones.
        case forgotten
      }

      /// What becomes of requests in the first flight of a resumed connection (0-RTT). Default: none are allowed.
      public var earlyData = EarlyData.none
      /// Seconds without a packet after which a connection is over; nil for the usual.
      public var idleTimeout: Double?
      /// Whether every reply says in its `Alt-Svc` field (RFC 7838) that the server speaks HTTP/3 at its own port.
      public var isAdvertised = false
      /// How many bytes of a request the client may send ahead; nil for the usual.
      public var streamWindow: Int?
    }
  }

  extension TestServer.Options {
    /// HTTP/3 for clients that come by QUIC, to the UDP port of the same number; HTTP/2 or HTTP/1.1 over TLS for those that come by TCP.
    public static func http3(_ certificate: TestCertificate) -> TestServer.Options {
      var options = http2(certificate)
      options.applicationProtocols = ["h3"] + options.applicationProtocols
      return options
    }
  }
#endif
