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

  /// The resumable upload server of swift-nio-extras on a loopback port, with connections that break at given points.
  ///
  /// Over TLS it speaks only HTTP/2: with HTTP/1.1 over TLS, NIOResumableUpload stops reading whenever a TLS record is incomplete.
  package final class UploadServer: Sendable {
    /// The content that was received over all connections, and the faults of the next ones.
    package struct State: Sendable {
      package var content = Data()
      /// The number of bytes received.
      package var count = 0
      /// Whether all bytes followed the alphabet pattern. Only checked if the content isn't kept.
      package var areLetters = true
      /// The faults of the next connections, one each; positions are counted in bytes after decryption.
      package var faults: [Fault] = []
      package var isComplete = false
    }

    /// What happens to a connection once this many bytes have been received over it.
    package enum Fault: Sendable {
      case close(after: Int)
      /// The server stops reading. Bytes that arrive later are lost, even after the client has closed: otherwise the size of the kernel's buffers,
      /// which can hold some uploads as a whole, would decide how much is received.
      case stall(after: Int)
    }

    package let state = Mutex(State())
    /// Whether the received content is kept in `State.content`; it has to fit into memory then.
    private let keepsContent: Bool
    /// Each connection that stalls arrives at this gate, so that tests can wait for the stall.
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
    /// - Parameter options: Only its TLS settings are used.
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

  /// Closes or stalls its connection once the fault's number of bytes has been received.
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

  /// Closes an HTTP/1.1 connection after the response to a resumed upload (PATCH), because NIOResumableUpload doesn't answer a further upload on it.
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

  /// Records the received bytes of an upload in the server's state, and answers 201 at its end.
  private final class UploadReceiver: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    /// Weak: NIOResumableUpload keeps the upload of a broken connection in a reference cycle if it is never resumed, and this handler with it.
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
