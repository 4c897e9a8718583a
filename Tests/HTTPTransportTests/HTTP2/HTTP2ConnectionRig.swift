import Foundation
import LoadingModel
import NIOCore
import NIOEmbedded

@testable import HTTPTransport

/// A connection in a channel without a socket, whose peer says what a test makes it say.
final class HTTP2ConnectionRig: @unchecked Sendable {
  // @unchecked: used by one test, step by step.

  final class Owner: MultiplexedConnectionOwner, @unchecked Sendable {
    // @unchecked: as the rig.
    var gained = 0
    var goneAway = 0
    var closed = 0
    var announced: [String] = []
    func connection(_ connection: any MultiplexedConnection, announces alternatives: String, of origin: Origin) {
      announced.append("\(origin.host):\(origin.port) \(alternatives)")
    }
    func connectionGainedStreams(_ connection: any MultiplexedConnection) { gained += 1 }
    func connectionGoesAway(_ connection: any MultiplexedConnection) { goneAway += 1 }
    func connectionClosed(_ connection: any MultiplexedConnection) { closed += 1 }
  }

  /// Moves when it is told to.
  final class Clock: LoadClock, @unchecked Sendable {
    // @unchecked: as the rig.
    var now = Instant(nanoseconds: 1_000_000_000_000)
    private var wakes: [(Instant, @Sendable () -> Void)] = []
    var pending: Int { wakes.count }
    func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) { wakes.append((deadline, action)) }
    func runDue() {
      let due = wakes.filter { $0.0 <= now }
      wakes.removeAll { $0.0 <= now }
      for (_, action) in due { action() }
    }
  }

  let channel = EmbeddedChannel()
  let owner = Owner()
  let clock = Clock()
  let connection: HTTP2Connection
  private let executor: LoopExecutor
  private var encoder = HPACKEncoder()

  init() throws {
    executor = LoopExecutor(channel.embeddedEventLoop)
    let parts = ConnectionParts(
      id: 1, destination: Destination(Origin(scheme: "https", host: "example.org", port: 443)), timings: ConnectTimings(), clock: clock,
      session: nil)
    let facts = ConnectionFacts(
      localAddress: nil, localPort: nil, remoteAddress: nil, remotePort: nil, tlsVersion: nil, tlsCipherSuite: nil, isTLSResumed: false)
    connection = HTTP2Connection(parts, facts, owner: owner)
    try channel.pipeline.syncOperations.addHandler(connection)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
    try receive(Frame.settings([]))
    _ = try flushed()
  }

  @discardableResult
  func start(_ method: String = "GET", ends: Bool = true) -> Exchange {
    let context = LoadContext(
      executor: executor, clock: clock, request: LoadRequest(url: URL(string: "https://example.org/")), idleTimeout: 60)
    let exchange = Exchange(context: context, transport: connection)
    let request = OutgoingRequest(
      method: method, target: "/", headers: HeaderFields([("Host", "example.org")]), isChunked: false, closesAfter: false)
    _ = connection.start(exchange, request, body: nil, endsWithBody: ends)
    return exchange
  }

  func head(_ stream: Int32, ends: Bool = false) -> [UInt8] { Frame.headers(stream, [0x88], ends: ends) }

  func receive(_ frames: [UInt8]...) throws {
    for frame in frames { try channel.writeInbound(ByteBuffer(bytes: frame)) }
  }

  /// The frames of each write so far.
  func writes() throws -> [[String]] {
    var writes: [[String]] = []
    while var bytes = try channel.readOutbound(as: ByteBuffer.self) {
      if bytes.readableBytesView.starts(with: "PRI".utf8) { bytes.moveReaderIndex(forwardBy: 24) }
      var frames: [String] = []
      while let header = bytes.readFrameHeader() {
        bytes.moveReaderIndex(forwardBy: header.payload)
        frames.append("\(HTTP2Rig.names[Int(header.type)]) \(header.stream)")
      }
      writes.append(frames)
    }
    return writes
  }

  /// The frames that go out by the end of this turn.
  func flushed() throws -> [String] {
    channel.embeddedEventLoop.run()
    return try writes().flatMap(\.self)
  }

  func advance(by seconds: Double) {
    clock.now = clock.now.advanced(bySeconds: seconds)
    clock.runDue()
    channel.embeddedEventLoop.run()
  }

  /// What an exchange that is over ended with, if with an error.
  func error(_ exchange: Exchange) async -> LoadError? {
    guard exchange.hasEndedInbound else { return nil }
    do throws(LoadError) {
      while try await exchange.nextChunk() != nil {}
      return nil
    } catch {
      return error
    }
  }
}

extension Exchange {
  /// The next informational response, or the final head.
  func nextHead() async throws(LoadError) -> ResponseHead {
    while true {
      if let head = try takeHead() { return head }
      await withUnsafeContinuation { resumeReader($0) }
    }
  }
}
