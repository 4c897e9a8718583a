import Foundation
import LoadingModel
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPTransport

/// The channel handler: how a body ends whose end is the connection's (RFC 9112, 6.3, 8).
@Suite(.timeLimit(.minutes(10))) struct HTTP1ConnectionTests {
  private static let answer = "HTTP/1.1 200 OK\r\n\r\npart"

  @Test(arguments: [ECONNRESET, ETIMEDOUT, EHOSTUNREACH])
  func connectionThatBreaksDuringAnUploadBreaksTheBody(_ code: CInt) async throws {
    let rig = try HTTP1ConnectionRig()
    let exchange = rig.upload()
    try rig.receive(HTTP1ConnectionTests.answer)
    rig.breakOff(IOError(errnoCode: code, reason: "write"))
    #expect(await rig.ending(of: exchange).error != nil)
  }

  @Test func writeThatIsBegunBehindTheHeadIsWatchedToo() async throws {
    let rig = try HTTP1ConnectionRig()
    let exchange = rig.upload()
    try rig.receive(HTTP1ConnectionTests.answer)
    rig.socket.take()
    rig.connection.send(ByteBuffer(string: "more"), of: exchange)
    rig.breakOff(IOError(errnoCode: ECONNRESET, reason: "write"))
    #expect(await rig.ending(of: exchange).error?.kind == .networkConnectionLost)
  }

  /// The system says so of a reset that comes behind the peer's end.
  @Test func serverThatEndsItsAnswerMayRefuseTheRest() async throws {
    let rig = try HTTP1ConnectionRig()
    let exchange = rig.upload()
    try rig.receive(HTTP1ConnectionTests.answer)
    rig.breakOff(IOError(errnoCode: EPIPE, reason: "write"))
    #expect(await rig.ending(of: exchange) == .init(body: "part"))
  }

  @Test func endThatIsReadEndsTheBody() async throws {
    let rig = try HTTP1ConnectionRig()
    let exchange = rig.upload()
    try rig.receive(HTTP1ConnectionTests.answer)
    rig.breakOff(ChannelError.eof)
    #expect(await rig.ending(of: exchange) == .init(body: "part"))
  }
}

/// A connection in a channel without a socket. Used by one test, step by step.
private final class HTTP1ConnectionRig {
  /// Takes what is written when it is told to.
  final class Socket: ChannelOutboundHandler, @unchecked Sendable {
    // @unchecked: as the rig.
    typealias OutboundIn = ByteBuffer
    private var waiting: [EventLoopPromise<Void>] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if let promise { waiting.append(promise) }
    }

    func take() {
      for promise in waiting { promise.succeed() }
      waiting = []
    }

    func fail(_ error: any Error) {
      for promise in waiting { promise.fail(error) }
      waiting = []
    }
  }

  struct Ending: Equatable {
    var body = ""
    var error: LoadError?
    static func == (one: Ending, other: Ending) -> Bool { one.body == other.body && one.error?.kind == other.error?.kind }
  }

  let channel = EmbeddedChannel()
  let socket = Socket()
  let connection: HTTP1Connection
  private let executor: LoopExecutor
  private let clock = HTTP2ConnectionRig.Clock()

  init() throws {
    executor = LoopExecutor(channel.embeddedEventLoop)
    let parts = ConnectionParts(
      id: 1, destination: Destination(Origin(scheme: "http", host: "example.org", port: 80)), timings: ConnectTimings(), clock: clock,
      session: nil)
    let facts = ConnectionFacts(
      localAddress: nil, localPort: nil, remoteAddress: nil, remotePort: nil, tlsVersion: nil, tlsCipherSuite: nil, isTLSResumed: false)
    connection = HTTP1Connection(parts, facts, owner: nil)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    try channel.pipeline.syncOperations.addHandlers([socket, connection])
  }

  /// A request whose body goes on.
  func upload() -> Exchange {
    let context = LoadContext(
      executor: executor, clock: clock, request: LoadRequest(url: URL(string: "http://example.org/")), idleTimeout: 60)
    let exchange = Exchange(context: context, transport: connection)
    let request = OutgoingRequest(
      method: "POST", target: "/", headers: HeaderFields([("Host", "example.org"), ("Content-Length", "1000")]), isChunked: false,
      closesAfter: false)
    connection.reserve()
    _ = connection.start(exchange, request, body: ByteBuffer(string: "first"), endsWithBody: false)
    return exchange
  }

  func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

  /// What a socket does whose connection has ended: it fails what is written, and then tells that it has closed.
  func breakOff(_ error: any Error) {
    socket.fail(error)
    channel.close(promise: nil)
    channel.embeddedEventLoop.run()
  }

  func ending(of exchange: Exchange) async -> Ending {
    var ending = Ending()
    guard exchange.hasEndedInbound else { return Ending(body: "it goes on") }
    do throws(LoadError) {
      while let piece = try await exchange.nextChunk() { ending.body += String(buffer: piece) }
    } catch {
      ending.error = error
    }
    return ending
  }
}
