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
      /// Plain connections.
      case none
      /// TLS, for which the server presents this certificate.
      case certificate(TestCertificate)
    }

    /// Whether clients are asked for a certificate.
    public enum ClientCertificates: Sendable {
      /// No client is asked.
      case notAsked
      /// A client without one is served; one that wasn't issued by the authority is refused.
      case optional(TestCertificateAuthority)
      /// Clients without one, or with one from elsewhere, are refused.
      case required(TestCertificateAuthority)
    }

    /// The address that the server is bound to.
    public enum Loopback: String, Sendable {
      /// 127.0.0.1.
      case ipv4 = "127.0.0.1"
      /// ::1; the machine must have IPv6.
      case ipv6 = "::1"
    }

    /// What runs on a connection.
    public enum Behaviour: Sendable {
      /// HTTP/1.1 with replies from queue and routes.
      case http
      /// These bytes and steps, on every connection.
      case raw([RawStep])
      /// The first script on the first connection and so on; connections beyond the last script are closed at once.
      case rawInTurn([[RawStep]])
    }

    /// How a server is set up. The default is plain HTTP/1.1 on 127.0.0.1.
    public struct Options: Sendable {
      /// What runs on a connection.
      public var behaviour = Behaviour.http
      /// Whether connections are encrypted.
      public var tls = TLS.none
      /// The oldest version that is accepted.
      public var minimumTLSVersion = TLSVersion.tls12
      /// The newest version that is accepted; nil for any.
      public var maximumTLSVersion: TLSVersion?
      /// The cipher suites up to TLS 1.2 in OpenSSL's notation; nil for the usual ones.
      public var cipherSuites: String?
      /// ALPN identifiers in order of preference; none means that the server doesn't take part in ALPN. With "h2" among them, clients that
      /// offer it are served over HTTP/2.
      public var applicationProtocols = ["http/1.1"]
      /// How many streams of HTTP/2 or HTTP/3 a client may have open on a connection. Default 100.
      public var maximumConcurrentStreams = 100
      /// Whether the server checks the messages of HTTP/2, its own replies too. Default true; without it replies may be malformed.
      public var validatesMessages = true
      /// Whether the server takes WebSockets as streams of HTTP/2 and HTTP/3, and says so in its settings (RFC 8441, RFC 9220). Default false.
      public var allowsExtendedConnect = false
      /// How client hellos are decrypted (ECH, RFC 9849); nil: not at all.
      public var encryptedHello: EncryptedHello?
      /// What HTTP/3 adds; it is spoken if "h3" is among `applicationProtocols`, in a build with the package trait HTTP3.
      public var http3 = HTTP3()
      /// Whether clients are asked for a certificate.
      public var clientCertificates = ClientCertificates.notAsked
      /// The address.
      public var loopback = Loopback.ipv4
      /// Another address to be bound to, in the place of loopback's: for tests that have networks of their own.
      package var address: String?
      /// The port; 0 lets the system choose a free one.
      public var port = 0
      /// The routes to begin with.
      public var routes = Routes()
      /// Whether the server answers `Expect: 100-continue` by itself when it begins to read the body.
      public var sendsContinue = true
      /// Whether a client that closes its sending side is still served. Without it, the connection ends there.
      public var allowsHalfClose = false
      /// How many body bytes of a request, and received bytes of a raw connection, are kept. Default 1 MiB.
      public var recordedBodyLimit = 1 << 20
      /// How many requests are kept; more are served but not recorded. Default 100 000.
      public var recordedRequestLimit = 100_000
      /// The size in bytes of the socket's send buffer; nil leaves it to the system. Small ones make back-pressure come early.
      public var sendBufferSize: Int?
      /// The size in bytes of the socket's receive buffer; nil leaves it to the system.
      public var receiveBufferSize: Int?

      /// The defaults.
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

      /// One script for each connection, in turn.
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
      // QUIC has TLS of its own.
      configuration.applicationProtocols = applicationProtocols.filter { $0 != "h3" }
      if let cipherSuites { configuration.cipherSuites = cipherSuites }
      // A test shouldn't wait long for a client that doesn't answer the closing alert.
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
