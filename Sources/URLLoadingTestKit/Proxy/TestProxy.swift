#if TestKit
  import Foundation
  import LoadingModel
  import NIOCore
  import NIOPosix
  import NIOSSL

  /// A real proxy on the loopback interface: tunnels by CONNECT, forwards plain http, and speaks SOCKS 4, 4a and 5, all on one port.
  ///
  /// It resolves the made-up server names in `Options.names`, which the system's resolver doesn't know. All members may be used from any thread.
  ///
  ///     let proxy = try await TestProxy.start()
  ///     configuration.connectionProxyDictionary = ["HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": proxy.port]
  public final class TestProxy: Sendable {
    /// How a client asked the proxy to connect to a server.
    public enum Kind: Sendable, Hashable {
      /// By an HTTP request in absolute-form, which the proxy forwards.
      case forward
      /// By the method CONNECT, which opens a tunnel.
      case connect
      /// With the SOCKS 4 or 4a protocol.
      case socks4
      /// With the SOCKS 5 protocol.
      case socks5
    }

    /// A connection that a client has asked for.
    public struct Connection: Sendable {
      /// By which protocol the client asked.
      public let kind: Kind
      /// The server as "host:port"; for `forward`, the whole request target.
      public let target: String
      /// The header fields of the client's HTTP request; empty for SOCKS.
      public let headers: HeaderList
      /// The user that a SOCKS client gave; nil if it gave none.
      public let user: String?
      /// Whether the proxy accepted the client and tried to connect to the server.
      public let wasLetIn: Bool
      /// The number of the connection to the proxy: 1 for the first.
      public let connection: Int
    }

    /// The decision of `Options.converse` about an HTTP client.
    public enum Verdict: Sendable, Hashable {
      /// `converse` doesn't object: the client is accepted if `Options.accepts` accepts it too.
      case letIn
      /// The client gets a 407 with this `Proxy-Authenticate`, and may ask again on the same connection.
      case asks(challenge: String)
    }

    /// How a proxy is set up. The default asks clients for no login.
    public struct Options: Sendable {
      /// Whether clients speak TLS to the proxy.
      public var tls = TestServer.TLS.none
      /// The user and password that SOCKS clients must give; for SOCKS 4 the user alone. nil to accept clients without.
      public var socksLogin: (user: String, password: String)?
      /// The value of `Proxy-Authenticate` in a 407 that refuses an HTTP client; nil for a Basic challenge.
      public var challenge: String?
      /// Decides whether an HTTP client is accepted, by its value of `Proxy-Authorization`; nil if it sent none.
      public var accepts: @Sendable (String?) -> Bool = { _ in true }
      /// Decides about an HTTP client before `accepts` does, by the number of its connection and its value of `Proxy-Authorization` (nil if it sent
      /// none): for schemes that authenticate a connection, such as NTLM. nil, or the result `letIn`, leaves the decision to `accepts`.
      public var converse: (@Sendable (_ connection: Int, _ authorization: String?) -> Verdict)?
      /// The body of the 407 response with which `converse` refuses a client.
      public var refusal = "no"
      /// These bytes are sent in answer to CONNECT instead of opening a tunnel; nil opens the tunnel.
      public var connectAnswer: String?
      /// The port to listen on; 0 for a free one. Another port is for a proxy that is started again at the same address.
      public var port = 0
      /// Names that the proxy resolves to 127.0.0.1. Apart from these, it connects only to "localhost" and loopback addresses.
      public var names: Set<String> = ["server.test"]

      /// The default options.
      public init() {}
    }

    /// The port that the proxy listens on.
    public let port: Int
    private let record: ProxyRecord
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel

    private init(port: Int, record: ProxyRecord, group: MultiThreadedEventLoopGroup, listener: any Channel) {
      self.port = port
      self.record = record
      self.group = group
      self.listener = listener
    }

    /// Starts a proxy; it serves when this returns. Throws if no port can be bound or the certificate can't be used.
    public static func start(_ options: Options = Options()) async throws -> TestProxy {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      do {
        let record = ProxyRecord(options)
        let tls: NIOSSLContext? =
          if case .certificate(let certificate) = options.tls { try TestServer.Options().tlsContext(certificate) } else { nil }
        let listener = try await ServerBootstrap(group: group)
          .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
          .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
          .childChannelOption(.autoRead, value: false)
          .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
              try channel.pipeline.syncOperations.addHandler(ProxyEntrance(record))
            }
          }
          .bind(host: "127.0.0.1", port: options.port).get()
        guard let port = listener.localAddress?.port else { throw TestServer.Failure.notBound }
        return TestProxy(port: port, record: record, group: group, listener: listener)
      } catch {
        try? await group.shutdownGracefully()
        throw error
      }
    }

    /// Runs `body` with a proxy that is shut down afterwards, whether `body` returns or throws.
    public static func with<Result: Sendable>(
      _ options: Options = Options(), _ body: (TestProxy) async throws -> Result
    ) async throws -> Result {
      let proxy = try await start(options)
      do {
        let result = try await body(proxy)
        await proxy.shutdown()
        return result
      } catch {
        await proxy.shutdown()
        throw error
      }
    }

    /// The connections that clients have asked for so far, in order.
    public var connections: [Connection] { record.connections.read { $0 } }

    /// Closes every connection and the listening socket.
    public func shutdown() async {
      record.isEnding.withLock { $0 = true }
      try? await listener.close()
      try? await group.shutdownGracefully()
    }
  }

  /// The options of a proxy and its record of requests, shared by all its connections.
  final class ProxyRecord: Sendable {
    let options: TestProxy.Options
    let connections = Watched<[TestProxy.Connection]>([])
    /// Set during shutdown: a failed connection to a server then closes the client's connection without an error response.
    let isEnding = Mutex(false)
    private let ordinal = Mutex(0)

    init(_ options: TestProxy.Options) { self.options = options }

    func nextOrdinal() -> Int {
      ordinal.withLock { ordinal in
        ordinal += 1
        return ordinal
      }
    }

    /// The address to connect to for `host`; nil if `host` is neither one of `Options.names` nor a loopback address.
    func address(_ host: String, _ port: Int) -> SocketAddress? {
      let literal = options.names.contains(host) || host == "localhost" ? "127.0.0.1" : host
      guard let address = try? SocketAddress(ipAddress: literal, port: port), ["127.0.0.1", "::1"].contains(address.ipAddress) else {
        return nil
      }
      return address
    }
  }
#endif
