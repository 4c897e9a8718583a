#if TestKit
  import NIOCore
  import NIOPosix

  /// The listening sockets of a test server: TCP and, for HTTP/3, UDP with the same port number.
  struct ServerSockets: Sendable {
    let port: Int
    let listener: any Channel
    private(set) var datagrams: (any Channel)?

    /// How many TCP ports are tried until one is found whose number is free for UDP too.
    private static let attempts = 20

    init(
      _ options: TestServer.Options, _ replySource: ReplySource, _ record: ServerRecord, on group: MultiThreadedEventLoopGroup
    ) async throws {
      let pipeline = try ServerPipeline(options: options, replySource: replySource, record: record)
      #if HTTP3
        if case .certificate(let certificate) = options.tls, case .http = options.behaviour, options.applicationProtocols.contains("h3") {
          let server = try HTTP3Server(options, certificate, replySource: replySource, record: record)
          self = try await ServerSockets.both(options, pipeline, server, on: group)
          if options.http3.isAdvertised { replySource.alternative = "h3=\":\(port)\"; ma=86400" }
          return
        }
      #endif
      (listener, port) = try await ServerSockets.listen(options, pipeline, on: group)
    }

    private init(port: Int, listener: any Channel, datagrams: any Channel) {
      (self.port, self.listener, self.datagrams) = (port, listener, datagrams)
    }

    private static func listen(
      _ options: TestServer.Options, _ pipeline: ServerPipeline, on group: MultiThreadedEventLoopGroup
    ) async throws -> (any Channel, Int) {
      let listener = try await pipeline.bootstrap(on: group).bind(host: options.address ?? options.loopback.rawValue, port: options.port)
        .get()
      guard let port = listener.localAddress?.port else { throw TestServer.Failure.notBound }
      return (listener, port)
    }

    #if HTTP3
      private static func both(
        _ options: TestServer.Options, _ pipeline: ServerPipeline, _ server: HTTP3Server, on group: MultiThreadedEventLoopGroup
      ) async throws -> ServerSockets {
        for attempt in 1... {
          let (listener, port) = try await listen(options, pipeline, on: group)
          do {
            let datagrams = try await server.start(on: group, host: options.address ?? options.loopback.rawValue, port: port)
            return ServerSockets(port: port, listener: listener, datagrams: datagrams)
          } catch {
            try? await listener.close()
            guard options.port == 0, attempt < attempts else { throw error }
          }
        }
        throw TestServer.Failure.notBound
      }
    #endif
  }
#endif
