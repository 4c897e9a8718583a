#if TestKit
  import Foundation
  import NIOCore
  import NIOPosix

  /// A real server on the loopback interface, whose replies and faults are defined by values.
  ///
  /// It listens on a free port, runs on one thread of its own and records every request. Tests give it replies in order (`enqueue`) or by path
  /// (`route`), or let it send exact bytes (`Options.raw`). All members may be used from any thread.
  ///
  ///     let server = try await TestServer.start()
  ///     server.route("/greeting", .GET) { _ in .text("hello") }
  ///     let (data, _) = try await URLSession.shared.data(from: server.url("/greeting"))
  ///     await server.shutdown()
  public final class TestServer: Sendable {
    /// The errors of a server and of waiting for its events.
    public enum Failure: Error, Sendable, Hashable {
      /// The server was shut down before the awaited event happened.
      case shutDown
      /// A listening socket has no port, or a TLS context couldn't be prepared.
      case notBound
    }

    /// The port that the server listens on.
    public let port: Int
    /// The options that the server was started with.
    public let options: Options

    let replySource: ReplySource
    let record: ServerRecord
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    /// The UDP socket for HTTP/3; nil if the server doesn't speak it.
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

    /// Starts a server; it accepts connections when this returns. Throws if the port can't be bound or the certificate can't be used.
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

    /// Starts a server with these TLS settings and routes, and otherwise default options.
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

    /// Closes every connection and the listening sockets. Calls that wait for events of the server throw `Failure.shutDown`. May be called
    /// repeatedly.
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

    /// Closes every open connection abruptly, as a crashed peer does; the server continues to accept connections.
    public func breakConnections() {
      for connection in record.openConnections {
        connection.eventLoop.execute { connection.breakOff() }
      }
    }

    /// The URL of `path`, which may have a query, at this server: `http` or `https`, with the server's loopback address as host.
    public func url(_ path: String = "/") -> URL { url(path, host: options.loopback == .ipv6 ? "[::1]" : "127.0.0.1") }

    /// The URL of `path` at this server, with another name for its host, such as "localhost".
    public func url(_ path: String = "/", host: String) -> URL {
      let scheme = if case .none = options.tls { "http" } else { "https" }
      let root = "\(scheme)://\(host):\(port)"
      return URL(string: root + (path.hasPrefix("/") ? path : "/" + path)) ?? URL(string: root) ?? URL(filePath: "/")
    }

    /// The URL of `path` at this server with a user and a password, which are percent-encoded as needed.
    public func url(_ path: String = "/", user: String, password: String) -> URL {
      let url = url(path)
      guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
      (components.user, components.password) = (user, password)
      return components.url ?? url
    }
  }
#endif
