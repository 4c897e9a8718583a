#if TestKit
  import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL

  /// Configures a server's listening socket, and the handlers of each accepted connection.
  struct ServerPipeline: Sendable {
    private let options: TestServer.Options
    private let replySource: ReplySource
    private let record: ServerRecord
    private let tls: NIOSSLContext?

    init(options: TestServer.Options, replySource: ReplySource, record: ServerRecord) throws {
      self.options = options
      self.replySource = replySource
      self.record = record
      tls = if case .certificate(let certificate) = options.tls { try options.tlsContext(certificate) } else { nil }
    }

    func bootstrap(on group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
      var bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelOption(.autoRead, value: false)
        .childChannelOption(.allowRemoteHalfClosure, value: options.allowsHalfClose)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try configure(channel) }
        }
      if let size = options.sendBufferSize {
        bootstrap = bootstrap.childChannelOption(.socketOption(.so_sndbuf), value: .init(size))
      }
      if let size = options.receiveBufferSize {
        // The receive buffer's size has to be set on the listening socket: TCP's window scaling is fixed when a connection is accepted.
        bootstrap = bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: .init(size))
      }
      return bootstrap
    }

    private func configure(_ channel: any Channel) throws {
      let ordinal = record.accept(ServedTCPConnection(channel: channel))
      // Registered after the handlers' callbacks, so that a connection's last request has been recorded when the connection counts as closed.
      defer { channel.closeFuture.whenComplete { _ in record.closed(ordinal) } }
      let pipeline = channel.pipeline.syncOperations
      if let tls { try options.encryptedHello?.accepted(in: tls) }
      if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
      switch options.behaviour {
      case .http where tls != nil && options.applicationProtocols.contains("h2"):
        try pipeline.addHandler(ServerNegotiation(ordinal: ordinal, replySource: replySource, record: record, options: options))
      case .http:
        try pipeline.addHandler(RequestDecoding.handler())
        try pipeline.addHandler(HTTP1ServerConnection(ordinal: ordinal, replySource: replySource, record: record, options: options))
      case .raw(let script): try pipeline.addHandler(connection(ordinal, script))
      case .rawInTurn(let scripts):
        try pipeline.addHandler(connection(ordinal, ordinal <= scripts.count ? scripts[ordinal - 1] : [.close]))
      }
    }

    private func connection(_ ordinal: Int, _ script: [RawStep]) -> RawConnection {
      let steps = script.map { step -> WireStep in
        switch step.action {
        case .wire(let step): step
        case .waitForRelease(let name): .pass(replySource.gate(name))
        }
      }
      return RawConnection(ordinal: ordinal, steps: steps, record: record, options: options)
    }
  }
#endif
