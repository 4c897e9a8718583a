import Foundation
import NIOCore
import NIOPosix
import NIOSSL

@testable import URLLoadingTestKit

/// A client that shows the exact bytes a server sends and how the connection ends. Runs on NIO's shared event loops.
final class WireClient: Sendable {
  struct Received: Sendable {
    var bytes = Data()
    var isClosed = false
    var error: String?

    var wasReset: Bool { error?.contains("Connection reset") ?? false }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// What follows the first empty line.
    var body: Data { bytes.firstRange(of: Data("\r\n\r\n".utf8)).map { Data(bytes[$0.upperBound...]) } ?? Data() }
    var status: Int? { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
  }

  struct Security: Sendable {
    var trusted: Data
    var hostname: String?
    var identity: TestCertificate?
    var maximumVersion: NIOSSL.TLSVersion?
    /// How long the client waits for the server's closing alert.
    var shutdownTimeout = TimeAmount.seconds(5)
  }

  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let received: Watched<Received>

    init(_ received: Watched<Received>) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let buffer = unwrapInboundIn(data)
      received.update { $0.bytes.append(contentsOf: buffer.readableBytesView) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      received.update { $0.error = $0.error ?? String(describing: error) }
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      received.update { $0.isClosed = true }
    }
  }

  private let channel: any Channel
  private let received: Watched<Received>

  private init(channel: any Channel, received: Watched<Received>) {
    self.channel = channel
    self.received = received
  }

  static func connect(to server: TestServer, security: Security? = nil, reading: Bool = true) async throws -> WireClient {
    try await connect(to: server.port, at: server.options.loopback.rawValue, security: security, reading: reading)
  }

  static func connect(
    to port: Int, at host: String = "127.0.0.1", security: Security? = nil, reading: Bool = true
  ) async throws -> WireClient {
    let received = Watched(Received())
    let context = try security.map { try $0.context() }
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: reading)
      .channelOption(.allowRemoteHalfClosure, value: false)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            let secure = try NIOSSLClientHandler(context: context, serverHostname: security?.hostname)
            try channel.pipeline.syncOperations.addHandler(secure)
          }
          try channel.pipeline.syncOperations.addHandler(Collector(received))
        }
      }
    let channel = try await bootstrap.connect(host: host, port: port).get()
    return WireClient(channel: channel, received: received)
  }

  func send(_ text: String) async throws {
    try await channel.writeAndFlush(ByteBuffer(string: text))
  }

  /// Sends without waiting for the bytes to be taken.
  func sendLater(_ bytes: ByteBuffer) { channel.writeAndFlush(bytes, promise: nil) }

  func get(_ path: String, _ fields: String = "") async throws {
    try await send("GET \(path) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n")
  }

  func startReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

  func closeOutput() async throws { try await channel.close(mode: .output) }

  func startTLS(_ security: Security) async throws {
    let context = try security.context()
    let channel = channel
    try await channel.eventLoop.submit {
      let secure = try NIOSSLClientHandler(context: context, serverHostname: security.hostname)
      try channel.pipeline.syncOperations.addHandler(secure, position: .first)
    }.get()
  }

  func close() async throws { try? await channel.close() }

  @discardableResult
  func wait(until condition: @escaping @Sendable (Received) -> Bool) async throws -> Received {
    try await received.wait { condition($0) || $0.isClosed }
    return received.read { $0 }
  }

  func wait(for text: String) async throws -> Received {
    try await wait { $0.bytes.firstRange(of: Data(text.utf8)) != nil }
  }

  func waitForEnd() async throws -> Received { try await wait { _ in false } }

  var now: Received { received.read { $0 } }
}

extension WireClient.Security {
  func context() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.shutdownTimeout = shutdownTimeout
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(trusted)))
    configuration.applicationProtocols = ["http/1.1"]
    configuration.maximumTLSVersion = maximumVersion
    if let identity {
      configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(identity.chainPEM)).map { .certificate($0) }
      configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM), format: .pem))
    }
    return try NIOSSLContext(configuration: configuration)
  }
}

/// One exchange on a connection of its own; `Connection: close` is sent, so all that comes is the reply.
func exchange(_ server: TestServer, _ path: String = "/", _ fields: String = "") async throws -> WireClient.Received {
  let client = try await WireClient.connect(to: server)
  try await client.get(path, fields + "Connection: close\r\n")
  return try await client.waitForEnd()
}
