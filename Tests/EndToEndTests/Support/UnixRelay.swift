import Foundation
import NIOCore
import NIOPosix

/// A Unix socket in front of a server of TCP: what is sent to one reaches the other.
final class UnixRelay: Sendable {
  /// The socket's path, or "@" and its name.
  let path: String
  private let listener: any Channel

  /// - Parameter path: nil: a new one in the folder for temporary files.
  init(to port: Int, at path: String? = nil) async throws {
    let path = path ?? UnixRelay.newPath()
    self.path = path
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).childChannelOption(.autoRead, value: false)
      .childChannelInitializer { client in
        client.eventLoop.makeCompletedFuture { try client.pipeline.syncOperations.addHandler(Entrance(to: port)) }
      }
    listener =
      path.hasPrefix("@")
      ? try await bootstrap.withBoundSocket(try UnixRelay.abstractSocket(path.dropFirst())).get()
      : try await bootstrap.bind(unixDomainSocketPath: path).get()
  }

  static func newPath() -> String { FileManager.default.temporaryDirectory.appending(path: "s\(UUID().uuidString.prefix(13))").path }

  func close() async {
    try? await listener.close()
    try? FileManager.default.removeItem(atPath: path)
  }

  /// A URL by which the socket is reached.
  func url(_ path: String, scheme: String = "http+unix") -> URL {
    let host = self.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return URL(string: "\(scheme)://\(host)\(path)") ?? URL(filePath: "/")
  }

  private static func abstractSocket(_ name: Substring) throws -> CInt {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: [0] + Array(name.utf8)) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
    return descriptor
  }

  /// The client's side. The server is connected to once what it sends can be passed on.
  private final class Entrance: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let port: Int
    private var server: (any Channel)?

    init(to port: Int) { self.port = port }

    func channelActive(context: ChannelHandlerContext) {
      let client = context.channel
      let entrance = NIOLoopBound(self, eventLoop: context.eventLoop)
      ClientBootstrap(group: context.eventLoop)
        .channelInitializer { server in
          server.eventLoop.makeCompletedFuture { try server.pipeline.syncOperations.addHandler(Exit(to: client)) }
        }
        .connect(host: "127.0.0.1", port: port).whenComplete { result in
          guard case .success(let server) = result else { return client.close(promise: nil) }
          entrance.value.server = server
          client.read()
        }
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { server?.writeAndFlush(unwrapInboundIn(data), promise: nil) }
    func channelReadComplete(context: ChannelHandlerContext) { context.read() }
    func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  /// The server's side.
  private final class Exit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let client: any Channel

    init(to client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { client.writeAndFlush(unwrapInboundIn(data), promise: nil) }
    func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
