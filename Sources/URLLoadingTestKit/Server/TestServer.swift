#if TestKit
  import Foundation
  import NIOCore
  import NIOPosix

  /// A real server on the loopback interface whose replies and faults are values.
  ///
  /// It listens on a free port, runs on one thread of its own and records every request. Tests give it replies in order (`enqueue`) or by
  /// path (`route`), or have it send exact bytes (`Options.raw`). All members may be used from any thread.
  ///
  ///     let server = try await TestServer.start()
  ///     server.route("/greeting", .GET) { _ in .text("hello") }
  ///     let (data, _) = try await URLSession.shared.data(from: server.url("/greeting"))
  ///     await server.shutdown()
  public final class TestServer: Sendable {
    /// What waiting for a server can end in.
    public enum Failure: Error, Sendable, Hashable {
      /// The server was shut down before what was waited for happened.
      case shutDown
      /// The server could not find out its own port.
      case notBound
    }

    /// The port that the server listens on.
    public let port: Int
    /// What the server was started with.
    public let options: Options

    let replySource: ReplySource
    let record: ServerRecord
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    /// The socket of HTTP/3.
    private let datagrams: (any Channel)?

    private init(
      options: Options, replySource: ReplySource, record: ServerRecord, group: MultiThreadedEventLoopGroup, sockets: ServerSockets
    ) {
      port = sockets.port
      self.options = options
      self.replySource = replySource
      self.record = record
      self.group = group
      listener = sockets.listener
      datagrams = sockets.datagrams
    }

    deinit {
      guard !record.state.read(\.isShutDown) else { return }
      group.shutdownGracefully { _ in }
    }

    /// Starts a server; it serves when this returns. Throws if the port can't be bound or the certificate can't be used.
    public static func start(_ options: Options = Options()) async throws -> TestServer {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      do {
        let replySource = ReplySource()
        replySource.add(options.routes.list)
        let record = ServerRecord(options)
        let sockets = try await ServerSockets(options, replySource, record, on: group)
        return TestServer(options: options, replySource: replySource, record: record, group: group, sockets: sockets)
      } catch {
        try? await group.shutdownGracefully()
        throw error
      }
    }

    /// Starts a server that differs from the default in TLS and routes only.
    public static func start(tls: TLS, routes: Routes = Routes()) async throws -> TestServer {
      var options = Options()
      options.tls = tls
      options.routes = routes
      return try await start(options)
    }

    /// Runs `body` with a server that is shut down afterwards, whether `body` returns or throws.
    public static func with<Result: Sendable>(
      _ options: Options = Options(), _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
      let server = try await start(options)
      do {
        let result = try await body(server)
        await server.shutdown()
        return result
      } catch {
        await server.shutdown()
        throw error
      }
    }

    /// Closes every connection and the listening socket. What waits for the server throws `Failure.shutDown`. May be called repeatedly.
    public func shutdown() async {
      let isFirst = record.state.update { state in
        defer { state.isShutDown = true }
        return !state.isShutDown
      }
      guard isFirst else { return }
      try? await listener.close()
      breakConnections()
      try? await datagrams?.close()
      try? await group.shutdownGracefully()
    }

    /// Breaks every open connection as a crashed peer does; the server continues.
    public func breakConnections() {
      for connection in record.openConnections {
        connection.eventLoop.execute { connection.breakOff() }
      }
    }

    /// The URL of `path`, which may carry a query, at this server: `http` or `https`, by address.
    public func url(_ path: String = "/") -> URL { url(path, host: options.loopback == .ipv6 ? "[::1]" : "127.0.0.1") }

    /// The URL of `path` at this server by another name for it, such as "localhost".
    public func url(_ path: String = "/", host: String) -> URL {
      let scheme = if case .none = options.tls { "http" } else { "https" }
      let root = "\(scheme)://\(host):\(port)"
      return URL(string: root + (path.hasPrefix("/") ? path : "/" + path)) ?? URL(string: root) ?? URL(filePath: "/")
    }

    /// The URL of `path` at this server with a user and a password, which are escaped as needed.
    public func url(_ path: String = "/", user: String, password: String) -> URL {
      let url = url(path)
      guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
      (components.user, components.password) = (user, password)
      return components.url ?? url
    }
  }
#endif
