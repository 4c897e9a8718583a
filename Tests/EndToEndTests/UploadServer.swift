import Foundation
import HTTPTypes
import LoadingModel
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload

/// The resumable upload server of swift-nio-extras, on a loopback port, with connections that break at given points.
final class UploadServer: Sendable {
  /// What arrived, over all connections.
  struct State {
    var content = Data()
    /// Bytes of connections after which the next ones break or stall.
    var faults: [Fault] = []
    var isComplete = false
  }

  /// What becomes of a connection once this many bytes have come over it.
  enum Fault: Sendable {
    case close(after: Int)
    case stall(after: Int)
  }

  let state = Mutex(State())
  private let context = Mutex<HTTPResumableUploadContext?>(nil)
  private let channel = Mutex<(any Channel)?>(nil)

  var url: URL? { channel.withLock { $0?.localAddress?.port }.flatMap { URL(string: "http://127.0.0.1:\($0)/file") } }

  /// Runs `body` with a server whose first connections have these faults, one each.
  static func with(_ faults: [Fault], _ body: (UploadServer, URL) async throws -> Void) async throws {
    let server = UploadServer()
    server.state.withLock { $0.faults = faults }
    let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
      .childChannelInitializer { channel in server.configure(channel) }
      .bind(host: "127.0.0.1", port: 0).get()
    server.channel.withLock { $0 = channel }
    server.context.withLock {
      $0 = HTTPResumableUploadContext(origin: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
    }
    guard let url = server.url else { throw URLError(.badURL) }
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
      if let fault { try pipeline.addHandler(ConnectionFault(fault)) }
      try pipeline.configureHTTPServerPipeline()
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
      try pipeline.addHandler(HTTPResumableUploadHandler(context: context, handlers: [UploadReceiver(self)]))
    }
  }
}

/// Breaks or stalls its connection.
private final class ConnectionFault: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  private let fault: UploadServer.Fault
  private var count = 0
  private var isStalled = false

  init(_ fault: UploadServer.Fault) { self.fault = fault }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    count += unwrapInboundIn(data).readableBytes
    context.fireChannelRead(data)
    switch fault {
    case .close(let limit): if count >= limit { context.close(promise: nil) }
    case .stall(let limit): if count >= limit { isStalled = true }
    }
  }

  func read(context: ChannelHandlerContext) {
    if !isStalled { context.read() }
  }
}

/// Writes down what an upload brings, and answers 201.
private final class UploadReceiver: ChannelInboundHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let server: UploadServer

  init(_ server: UploadServer) { self.server = server }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: break
    case .body(let bytes): server.state.withLock { $0.content.append(contentsOf: bytes.readableBytesView) }
    case .end:
      server.state.withLock { $0.isComplete = true }
      context.write(wrapOutboundOut(.head(HTTPResponse(status: .created, headerFields: [.contentLength: "0"]))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
