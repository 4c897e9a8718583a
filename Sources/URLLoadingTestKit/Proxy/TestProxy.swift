#if TestKit
  import Foundation
  import LoadingModel
  import NIOCore
  import NIOPosix
  import NIOSSL

  /// A real proxy on the loopback interface: tunnels by CONNECT, forwards plain http, and speaks SOCKS 4, 4a and 5, all on one port.
  ///
  /// It knows the names that tests make up for their servers, which no resolver does. All members may be used from any thread.
  ///
  ///     let proxy = try await TestProxy.start()
  ///     configuration.connectionProxyDictionary = ["HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": proxy.port]
  public final class TestProxy: Sendable {
    /// How a client has asked to be connected.
    public enum Kind: Sendable, Hashable {
      /// By an HTTP request in absolute-form.
      case forward
      /// By CONNECT.
      case connect
      /// By SOCKS 4 or 4a.
      case socks4
      /// By SOCKS 5.
      case socks5
    }

    /// One connection that a client has asked for.
    public struct Connection: Sendable {
      /// How it was asked for.
      public let kind: Kind
      /// The server: a name or address, and a port; for `forward` the whole target.
      public let target: String
      /// The head's fields; for SOCKS none.
      public let headers: HeaderList
      /// The SOCKS user; nil if none was given.
      public let user: String?
      /// Whether the client was let through to the server.
      public let wasLetIn: Bool
      /// The number of the connection to the proxy: 1 for the first.
      public let connection: Int
    }

    /// The answer to an HTTP client that authenticates its connection.
    public enum Verdict: Sendable, Hashable {
      /// It is let in.
      case letIn
      /// It is sent a 407 with this `Proxy-Authenticate`, and may ask again on the same connection.
      case asks(challenge: String)
    }

    /// How a proxy is set up. The default asks for no login.
    public struct Options: Sendable {
      /// Whether clients speak TLS to the proxy.
      public var tls = TestServer.TLS.none
      /// The user and password that SOCKS clients must have; for SOCKS 4 the user alone. nil for none.
      public var socksLogin: (user: String, password: String)?
      /// What `Proxy-Authenticate` asks HTTP clients for; nil for nothing.
      public var challenge: String?
      /// Whether an HTTP client with this value of `Proxy-Authorization`, nil if it sent none, is let in.
      public var accepts: @Sendable (String?) -> Bool = { _ in true }
      /// Decides on a client by its connection and its value of `Proxy-Authorization`, nil if it sent none, before `accepts` does: for
      /// schemes that authenticate a connection. nil leaves the decision to `accepts`.
      public var converse: (@Sendable (_ connection: Int, _ authorization: String?) -> Verdict)?
      /// The body of what `converse` refuses.
      public var refusal = "no"
      /// Sent in answer to CONNECT in the place of a tunnel, byte for byte; nil opens the tunnel.
      public var connectAnswer: String?
      /// The port to listen on; 0 for a free one. Another than 0 is for a proxy that comes back.
      public var port = 0
      /// Names that the proxy resolves to 127.0.0.1; it connects to loopback addresses besides.
      public var names: Set<String> = ["server.test"]

      /// The defaults.
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

    /// What clients have asked for so far, in order.
    public var connections: [Connection] { record.connections.read { $0 } }

    /// Closes every connection and the listening socket.
    public func shutdown() async {
      record.isEnding.withLock { $0 = true }
      try? await listener.close()
      try? await group.shutdownGracefully()
    }
  }

  /// What a proxy is told and tells: shared by its connections.
  final class ProxyRecord: Sendable {
    let options: TestProxy.Options
    let connections = Watched<[TestProxy.Connection]>([])
    /// What can't be connected then isn't the server's fault.
    let isEnding = Mutex(false)
    private let ordinal = Mutex(0)

    init(_ options: TestProxy.Options) { self.options = options }

    func nextOrdinal() -> Int {
      ordinal.withLock { ordinal in
        ordinal += 1
        return ordinal
      }
    }

    /// The address to connect to for `host`; nil if the proxy doesn't know it.
    func address(_ host: String, _ port: Int) -> SocketAddress? {
      let literal = options.names.contains(host) || host == "localhost" ? "127.0.0.1" : host
      guard let address = try? SocketAddress(ipAddress: literal, port: port), ["127.0.0.1", "::1"].contains(address.ipAddress) else {
        return nil
      }
      return address
    }
  }
#endif
