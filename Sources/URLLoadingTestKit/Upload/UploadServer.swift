#if TestKit
  import Foundation
  import HTTPTypes
  import LoadingModel
  import NIOCore
  import NIOHTTP1
  import NIOHTTP2
  import NIOHTTPTypes
  import NIOHTTPTypesHTTP1
  import NIOHTTPTypesHTTP2
  import NIOPosix
  import NIOResumableUpload
  import NIOSSL

  /// The resumable upload server of swift-nio-extras, on a loopback port, with connections that break at given points.
  ///
  /// Over TLS, it speaks HTTP/2 and nothing else: with HTTP/1.1 behind TLS, that server forgets to read whenever a record is incomplete.
  package final class UploadServer: Sendable {
    /// What arrived, over all connections.
    package struct State: Sendable {
      package var content = Data()
      /// Bytes of it.
      package var count = 0
      /// Whether all of it were letters in their order.
      package var areLetters = true
      /// Bytes of connections, TLS not counted, after which the next ones break or stall.
      package var faults: [Fault] = []
      package var isComplete = false
    }

    /// What becomes of a connection once this many bytes have come over it.
    package enum Fault: Sendable {
      case close(after: Int)
      /// Nothing more is read. What has been sent all the same is lost, also when the client closes: otherwise the kernel's buffers, which
      /// take more than some uploads have, would decide how much arrives.
      case stall(after: Int)
    }

    package let state = Mutex(State())
    /// Whether the content is kept: it must fit into memory then.
    private let keepsContent: Bool
    /// Reached by each connection that stalls.
    package let stalled = Gate(isOpen: true)
    private let context = Mutex<HTTPResumableUploadContext?>(nil)
    private let channel = Mutex<(any Channel)?>(nil)

    private let tls: NIOSSLContext?

    private var origin: String {
      "\(tls == nil ? "http" : "https")://127.0.0.1:\(channel.withLock { $0?.localAddress?.port } ?? 0)"
    }

    private init(_ options: TestServer.Options, keepsContent: Bool) throws {
      self.keepsContent = keepsContent
      tls = if case .certificate(let certificate) = options.tls { try options.tlsContext(certificate) } else { nil }
    }

    fileprivate func take(_ bytes: Data) {
      state.withLock { state in
        state.areLetters = state.areLetters && (keepsContent || AlphabetPattern.match(bytes, at: state.count))
        state.count += bytes.count
        if keepsContent { state.content.append(bytes) }
      }
    }

    /// Runs `body` with a server whose first connections have these faults, one each.
    /// - Parameter options: Its TLS counts.
    package static func with(
      _ faults: [Fault], _ options: TestServer.Options = .http, keepsContent: Bool = true, _ body: (UploadServer, URL) async throws -> Void
    ) async throws {
      let server = try UploadServer(options, keepsContent: keepsContent)
      server.state.withLock { $0.faults = faults }
      let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
        .childChannelInitializer { channel in server.configure(channel) }
        .bind(host: "127.0.0.1", port: 0).get()
      server.channel.withLock { $0 = channel }
      server.context.withLock { $0 = HTTPResumableUploadContext(origin: server.origin) }
      guard let url = URL(string: server.origin + "/file") else { throw URLError(.badURL) }
      do {
        try await body(server, url)
      } catch {
        try await channel.close()
        throw error
      }
      try await channel.close()
    }

    private func configure(_ channel: any Channel) -> EventLoopFuture<Void> {
      channel.eventLoop.makeCompletedFuture {
        let fault = state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
        guard let context = context.withLock({ $0 }) else { return }
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        if let fault { try pipeline.addHandler(ConnectionFault(fault, stalled)) }
        guard tls != nil else {
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandlers([ResumedUploadEnd(), HTTP1ToHTTPServerCodec(secure: false)])
          return try pipeline.addHandler(receiver(context))
        }
        try pipeline.addHandler(
          NIOHTTP2Handler(mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: .init(), streamConfiguration: .init()) {
            stream in
            stream.eventLoop.makeCompletedFuture {
              try stream.pipeline.syncOperations.addHandlers([HTTP2FramePayloadToHTTPServerCodec(), self.receiver(context)])
            }
          })
      }
    }

    private func receiver(_ context: HTTPResumableUploadContext) -> HTTPResumableUploadHandler {
      HTTPResumableUploadHandler(context: context, handlers: [UploadReceiver(self)])
    }
  }

  /// Breaks or stalls its connection.
  private final class ConnectionFault: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let fault: UploadServer.Fault
    private var count = 0
    private var isStalled = false
    private let stalled: Gate

    init(_ fault: UploadServer.Fault, _ stalled: Gate) {
      self.fault = fault
      self.stalled = stalled
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isStalled else { return }
      count += unwrapInboundIn(data).readableBytes
      context.fireChannelRead(data)
      switch fault {
      case .close(let limit): if count >= limit { context.channel.closeAbruptly() }
      case .stall(let limit):
        guard count >= limit, !isStalled else { return }
        isStalled = true
        _ = stalled.arrive(on: context.eventLoop) {}
      }
    }

    func read(context: ChannelHandlerContext) {
      if !isStalled { context.read() }
    }
  }

  /// Closes a connection of HTTP/1.1 behind the answer to a resumed upload: NIOResumableUpload doesn't answer an upload that follows it there.
  private final class ResumedUploadEnd: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private var isResumed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .head(let head) = unwrapInboundIn(data) { isResumed = head.method == .PATCH }
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      switch unwrapOutboundIn(data) {
      case .head(var head) where isResumed && head.status.code >= 200:
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.write(NIOAny(HTTPServerResponsePart.head(head)), promise: promise)
      case .end where isResumed:
        let channel = context.channel
        context.writeAndFlush(data).whenComplete { _ in channel.close(promise: nil) }
        promise?.succeed()
      default: context.write(data, promise: promise)
      }
    }
  }

  /// Writes down what an upload brings, and answers 201.
  private final class UploadReceiver: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    /// Weak: the upload of a broken connection, which nothing resumes, stays in NIOResumableUpload in a circle, and this handler with it.
    private weak var server: UploadServer?

    init(_ server: UploadServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head: break
      case .body(let bytes): server?.take(Data(bytes.readableBytesView))
      case .end:
        server?.state.withLock { $0.isComplete = true }
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .created, headerFields: [.contentLength: "0"]))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      }
    }
  }
#endif
