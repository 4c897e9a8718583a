#if TestKit
  import Foundation
  import NIOSSL

  extension TestServer {
    /// A TLS protocol version.
    public enum TLSVersion: String, Sendable, Comparable {
      /// TLS 1.0 (RFC 2246).
      case tls10 = "TLSv1"
      /// TLS 1.1 (RFC 4346).
      case tls11 = "TLSv1.1"
      /// TLS 1.2 (RFC 5246).
      case tls12 = "TLSv1.2"
      /// TLS 1.3 (RFC 8446).
      case tls13 = "TLSv1.3"

      /// Older versions come first.
      public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
    }

    /// Whether connections are encrypted.
    public enum TLS: Sendable {
      /// Connections without TLS.
      case none
      /// Connections with TLS; the server presents this certificate.
      case certificate(TestCertificate)
    }

    /// Whether clients are asked for a certificate.
    public enum ClientCertificates: Sendable {
      /// Clients aren't asked for a certificate.
      case notAsked
      /// Clients are asked. A client without a certificate is served; one whose certificate wasn't issued by this authority is refused.
      case optional(TestCertificateAuthority)
      /// Clients are asked. A client without a certificate of this authority is refused.
      case required(TestCertificateAuthority)
    }

    /// The loopback address that the server is bound to.
    public enum Loopback: String, Sendable {
      /// The IPv4 loopback address, 127.0.0.1.
      case ipv4 = "127.0.0.1"
      /// The IPv6 loopback address, ::1. The machine must have IPv6.
      case ipv6 = "::1"
    }

    /// What the server does on its connections.
    public enum Behaviour: Sendable {
      /// HTTP, with replies from the queue and the routes.
      case http
      /// Every connection runs this script of exact bytes and other steps.
      case raw([RawStep])
      /// The first connection runs the first script, and so on. Connections beyond the last script are closed at once.
      case rawInTurn([[RawStep]])
    }

    /// How a server is set up. The default is plain HTTP/1.1 on 127.0.0.1.
    public struct Options: Sendable {
      /// What the server does on its connections.
      public var behaviour = Behaviour.http
      /// Whether connections are encrypted.
      public var tls = TLS.none
      /// The oldest TLS version that the server accepts.
      public var minimumTLSVersion = TLSVersion.tls12
      /// The newest TLS version that the server accepts; nil for any.
      public var maximumTLSVersion: TLSVersion?
      /// The cipher suites up to TLS 1.2 in OpenSSL's notation; nil for the default ones.
      public var cipherSuites: String?
      /// The ALPN identifiers in order of preference; without any, the server doesn't use ALPN. If "h2" is among them, clients that offer it are
      /// served over HTTP/2.
      public var applicationProtocols = ["http/1.1"]
      /// How many streams of HTTP/2 or HTTP/3 a client may have open on a connection. Default 100.
      public var maximumConcurrentStreams = 100
      /// Whether the server validates the messages of HTTP/2, including its own replies. Default true; set to false to send malformed replies.
      public var validatesMessages = true
      /// Whether the server accepts WebSockets on streams of HTTP/2 and HTTP/3, and announces it in its settings (RFC 8441, RFC 9220). Default false.
      public var allowsExtendedConnect = false
      /// How ClientHellos are decrypted (Encrypted Client Hello, RFC 9849); nil: they aren't.
      public var encryptedHello: EncryptedHello?
      /// The options for HTTP/3, which is spoken if "h3" is among `applicationProtocols`, in a build with the package trait HTTP3.
      public var http3 = HTTP3()
      /// Whether clients are asked for a certificate.
      public var clientCertificates = ClientCertificates.notAsked
      /// The loopback address that the server is bound to.
      public var loopback = Loopback.ipv4
      /// An address to bind to instead of `loopback`: for tests in network namespaces of their own.
      package var address: String?
      /// The port; 0 lets the system choose a free one.
      public var port = 0
      /// The routes that the server starts with.
      public var routes = Routes()
      /// Whether the server answers `Expect: 100-continue` with a 100 when it begins to read the body.
      public var sendsContinue = true
      /// Whether the server still answers a client that has closed its sending side. Otherwise it closes the connection then.
      public var allowsHalfClose = false
      /// How many bytes of each request's body, and of each raw connection's input, are recorded. Default 1 MiB.
      public var recordedBodyLimit = 1 << 20
      /// How many requests are recorded; further ones are served but not recorded. Default 100,000.
      public var recordedRequestLimit = 100_000
      /// The size in bytes of the sockets' send buffers; nil for the system's default. With a small buffer, back-pressure sets in early.
      public var sendBufferSize: Int?
      /// The size in bytes of the sockets' receive buffers; nil for the system's default.
      public var receiveBufferSize: Int?

      /// The default options: plain HTTP/1.1 on 127.0.0.1.
      public init() {}

      /// Plain HTTP/1.1.
      public static var http: Options { Options() }

      /// HTTP/1.1 over TLS.
      public static func https(_ certificate: TestCertificate) -> Options {
        var options = Options()
        options.tls = .certificate(certificate)
        return options
      }

      /// HTTP/2 over TLS for clients that offer it by ALPN, HTTP/1.1 for others.
      public static func http2(_ certificate: TestCertificate) -> Options {
        var options = https(certificate)
        options.applicationProtocols = ["h2", "http/1.1"]
        return options
      }

      /// A script of exact bytes that runs on every connection.
      public static func raw(_ steps: [RawStep]) -> Options {
        var options = Options()
        options.behaviour = .raw(steps)
        return options
      }

      /// The first script runs on the first connection, and so on; further connections are closed at once.
      public static func rawInTurn(_ scripts: [[RawStep]]) -> Options {
        var options = Options()
        options.behaviour = .rawInTurn(scripts)
        return options
      }
    }
  }

  extension TestServer.TLSVersion {
    init(_ version: NIOSSL.TLSVersion) {
      switch version {
      case .tlsv1: self = .tls10
      case .tlsv11: self = .tls11
      case .tlsv12: self = .tls12
      case .tlsv13: self = .tls13
      }
    }

    var nio: NIOSSL.TLSVersion {
      switch self {
      case .tls10: .tlsv1
      case .tls11: .tlsv11
      case .tls12: .tlsv12
      case .tls13: .tlsv13
      }
    }
  }

  extension TestServer.Options {
    func tlsContext(_ certificate: TestCertificate) throws -> NIOSSLContext {
      let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.chainPEM))
      let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM), format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = minimumTLSVersion.nio
      configuration.maximumTLSVersion = maximumTLSVersion?.nio
      // "h3" is negotiated in QUIC's own TLS handshake, not over TCP.
      configuration.applicationProtocols = applicationProtocols.filter { $0 != "h3" }
      if let cipherSuites { configuration.cipherSuites = cipherSuites }
      // A short timeout, so that shutting down doesn't wait long for a client that doesn't answer the close_notify alert.
      configuration.shutdownTimeout = .milliseconds(250)
      switch clientCertificates {
      case .notAsked: break
      case .optional(let authority):
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authority.pem)))
      case .required(let authority):
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authority.pem)))
      }
      let context = try NIOSSLContext(configuration: configuration)
      try encryptedHello?.use(in: context)
      return context
    }
  }
#endif
