#if Inspector
  import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import Synchronization

  /// Serves the inspector's page on the loopback interface, on a thread of its own. Thread-safe.
  package final class PageServer: Sendable {
    /// The page's address, which includes the token.
    package let url: URL
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup

    /// The most connections at the same time: a browser opens up to six, and each page keeps one more for its event stream.
    private static let connectionLimit = 64

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free port.
    ///   - token: The token in the page's path; nil, or an unsuitable one, for a random token.
    package init(_ inspector: URLSessionInspector, port: Int, token: String?, title: String) throws {
      let token = token.flatMap { PageAccess.isToken($0) ? $0 : nil } ?? PageAccess.makeToken()
      let answers = PageAnswers(inspector: inspector, title: title)
      let counter = ConnectionCounter()
      group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 16)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
          guard counter.enter(limit: PageServer.connectionLimit) else { return channel.close() }
          channel.closeFuture.whenComplete { _ in counter.leave() }
          return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
            let port = channel.localAddress?.port ?? 0
            try channel.pipeline.syncOperations.addHandler(PageHandler(PageAccess(token: token, port: port), answers))
          }
        }
      do {
        channel = try bootstrap.bind(host: "127.0.0.1", port: port).wait()
      } catch {
        try? group.syncShutdownGracefully()
        throw error
      }
      guard let bound = channel.localAddress?.port, let url = URL(string: "http://127.0.0.1:\(bound)/\(token)/") else {
        try? group.syncShutdownGracefully()
        throw URLError(.cannotConnectToHost)
      }
      self.url = url
    }

    /// Stops the server and closes its connections; open pages then report that the program is gone.
    package func stop() {
      try? channel.close().wait()
      try? group.syncShutdownGracefully()
    }
  }

  /// Counts the open connections. Thread-safe.
  private final class ConnectionCounter: Sendable {
    private let count = Atomic(0)

    func enter(limit: Int) -> Bool {
      guard count.add(1, ordering: .relaxed).newValue > limit else { return true }
      leave()
      return false
    }

    func leave() { count.subtract(1, ordering: .relaxed) }
  }
#endif
