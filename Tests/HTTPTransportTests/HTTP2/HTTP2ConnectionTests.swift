import Foundation
import LoadingModel
import NIOCore
import NIOEmbedded
import ProtocolRules
import Testing

@testable import HTTPTransport

/// The channel handler: what reaches exchanges, pool and socket, and when.
@Suite(.timeLimit(.minutes(10))) struct HTTP2ConnectionTests {
  private let rig: HTTP2ConnectionRig

  init() throws { rig = try HTTP2ConnectionRig() }

  @Test func requestsOfOneTurnGoOutTogether() throws {
    for _ in 0..<3 { rig.start() }
    #expect(try rig.writes().isEmpty)
    rig.channel.embeddedEventLoop.run()
    #expect(try rig.writes() == [["HEADERS 1", "HEADERS 3", "HEADERS 5"]])
    #expect(rig.connection.availableStreams == 97)
    #expect(rig.connection.exchangeCount == 3)
  }

  @Test func responseReachesItsExchange() async throws {
    let exchange = rig.start()
    let other = rig.start()
    try rig.receive(rig.head(1), Frame.data(1, "hello", ends: true))
    #expect(try await exchange.nextHead().status == 200)
    #expect(try await exchange.nextChunk().map { String(buffer: $0) } == "hello")
    #expect(try await exchange.nextChunk() == nil)
    #expect(exchange.context.record.responseBodyBytes == 5)
    #expect(exchange.context.record.responseHeaderBytes > 0)
    #expect(exchange.context.record.responseEnd != nil)
    #expect(!other.hasEndedInbound)
    #expect(rig.owner.gained > 0)
  }

  @Test func cancelledExchangeResetsItsStreamAlone() async throws {
    let exchanges = [rig.start(), rig.start()]
    _ = try rig.flushed()
    exchanges[0].interrupt(.cancelled())
    #expect(try rig.flushed() == ["RST_STREAM 1"])
    try rig.receive(rig.head(1), rig.head(3, ends: true))
    #expect(try await exchanges[1].nextHead().status == 200)
    #expect(rig.connection.isOpen)
    #expect(rig.connection.availableStreams == 100)
  }

  /// It is no proof that the connection ever worked.
  @Test func onlyExchangeOfAConnectionIsNotSentAgain() async throws {
    let exchange = rig.start()
    try await rig.channel.close()
    #expect(await rig.error(exchange)?.resendReason == .cutOff)
  }

  @Test func connectionThatEndsFailsWhatIsUnderWay() async throws {
    let exchanges = [rig.start(), rig.start(), rig.start()]
    try rig.receive(rig.head(3))
    try await rig.channel.close()
    #expect(await rig.error(exchanges[0])?.resendReason == .staleConnection)
    _ = try await exchanges[1].nextHead()
    #expect(await rig.error(exchanges[1])?.phase == .body)
    #expect(await rig.error(exchanges[2])?.resendReason == .staleConnection)
    #expect(rig.owner.closed == 1)
    #expect(rig.connection.availableStreams == 0)
    let late = rig.start()
    #expect(await rig.error(late)?.resendReason == .outrun)
  }

  @Test func goAwayThatServesNobodyIsARefusal() async throws {
    let exchange = rig.start()
    try rig.receive(Frame.goAway(0))
    #expect(await rig.error(exchange)?.resendReason == .refused)
  }

  @Test func goAwayLetsTheRestEnd() async throws {
    let exchanges = [rig.start(), rig.start()]
    try rig.receive(Frame.goAway(1))
    #expect(rig.owner.goneAway == 1)
    #expect(await rig.error(exchanges[1])?.resendReason == .outrun)
    #expect(rig.connection.availableStreams == 0 && !rig.connection.isOpen)
    #expect(rig.channel.isActive)
    try rig.receive(rig.head(1, ends: true))
    #expect(try await exchanges[0].nextHead().status == 200)
    #expect(!rig.channel.isActive)
    #expect(rig.owner.closed == 1)
  }

  @Test func shutDownWaitsForWhatIsUnderWay() throws {
    rig.start()
    rig.connection.shutDown()
    #expect(rig.channel.isActive && rig.connection.availableStreams == 0)
    try rig.receive(rig.head(1, ends: true))
    #expect(!rig.channel.isActive)
  }

  @Test func violationEndsTheConnectionWithItsReason() async throws {
    let exchange = rig.start()
    _ = try rig.flushed()
    try rig.receive(Frame.make(5, 4, 1, [0, 0, 0, 2, 0x88]))
    #expect(try rig.flushed() == ["GOAWAY 0"])
    let error = await rig.error(exchange)
    #expect(error?.kind == .cannotParseResponse && error?.message.contains("PROTOCOL_ERROR") == true)
    #expect(!rig.channel.isActive && rig.owner.closed == 1)
  }

  @Test func serverIsToldHowUrgentALoadIs() throws {
    let exchange = rig.start()
    _ = try rig.flushed()
    exchange.context.waits(on: exchange)
    exchange.context.setPriority(0.5)
    #expect(try rig.flushed() == [])
    exchange.context.setPriority(1)
    rig.channel.embeddedEventLoop.run()
    let update = try rig.channel.readOutbound(as: ByteBuffer.self)
    #expect(update.map { Array($0.readableBytesView) } == bytes("000007100000000000" + "00000001") + Array("u=0".utf8))
    let urgencies: [Float: Int] = [0: 6, 0.25: 5, 0.5: 3, 0.75: 2, 1: 0, -1: 6, 9: 0, .nan: 6]
    for (priority, urgency) in urgencies { #expect(PriorityField.urgency(priority) == urgency) }
  }

  @Test func serverIsToldThatABodyIsWantedAsItArrives() {
    let fields: [(Float, Bool, String?)] = [(0.5, false, nil), (0.5, true, "i"), (1, true, "u=0, i"), (0, false, "u=6")]
    for (priority, isIncremental, value) in fields {
      #expect(PriorityField.value(priority, isIncremental: isIncremental) == value)
    }
  }

  @Test func announcementsOfAlternativesAreHeardFromThoseWhoMayMakeThem() throws {
    _ = rig.start()
    _ = try rig.flushed()
    func frame(_ stream: Int32, _ origin: String, _ value: String) -> [UInt8] {
      Frame.make(10, 0, stream, [UInt8(origin.utf8.count >> 8), UInt8(origin.utf8.count & 0xFF)] + Array((origin + value).utf8))
    }
    let own = ConnectRules.root(of: rig.connection.destination.origin).dropLast()
    try rig.receive(frame(0, String(own), "h3=\":1\""))
    // One of another origin, of none, of a stream that isn't there or names one, and what is too short.
    try rig.receive(frame(0, "https://other.test", "h3=\":2\""), frame(0, "", "h3=\":3\""), frame(3, "", "h3=\":4\""))
    try rig.receive(frame(1, String(own), "h3=\":5\""), Frame.make(10, 0, 0, [0]), Frame.make(10, 0, 0, [0, 9, 0x61]))
    let origin = rig.connection.destination.origin
    #expect(rig.owner.announced == ["\(origin.host):\(origin.port) h3=\":1\""])
    try rig.receive(frame(1, "", "clear"))
    #expect(rig.owner.announced.last == "\(origin.host):\(origin.port) clear")
    #expect(rig.channel.isActive)
  }

  // MARK: bodies

  @Test func slowReaderIsCreditedWhenItReads() async throws {
    let exchange = rig.start()
    _ = try rig.flushed()
    try rig.receive(rig.head(1))
    for _ in 0..<16 { try rig.receive(Frame.make(0, 0, 1, [UInt8](repeating: 0x61, count: 16384))) }
    // Half a window while there was room; none for the half that is unread.
    #expect(try rig.flushed() == ["WINDOW_UPDATE 1"])
    #expect(exchange.isFull)
    _ = try await exchange.nextChunk()
    #expect(try rig.flushed() == ["WINDOW_UPDATE 1"])
  }

  @Test func piecesThatWaitBecomeFewAndKeepTheirOrder() async throws {
    let exchange = rig.start()
    try rig.receive(rig.head(1))
    var expected: [UInt8] = []
    for number in 0..<250 {
      let piece = [UInt8](repeating: UInt8(number), count: 1 + number * 7 % 1999)
      expected += piece
      try rig.receive(Frame.make(0, 0, 1, piece))
    }
    try rig.receive(Frame.data(1, "", ends: true))
    var received: [UInt8] = []
    var count = 0
    while let chunk = try await exchange.nextChunk() {
      received += chunk.readableBytesView
      count += 1
    }
    #expect(received == expected)
    #expect(count == 1)
  }

  @Test func suspendedLoadStopsItselfAlone() throws {
    let exchanges = [rig.start(), rig.start()]
    _ = try rig.flushed()
    exchanges[0].context.waits(on: exchanges[0])
    exchanges[0].context.setSuspended(true)
    try rig.receive(rig.head(1), rig.head(3))
    for stream in [Int32(1), 3] {
      for _ in 0..<12 { try rig.receive(Frame.make(0, 0, stream, [UInt8](repeating: 0x61, count: 16384))) }
    }
    #expect(try rig.flushed() == ["WINDOW_UPDATE 3"])
    exchanges[0].context.setSuspended(false)
    #expect(try rig.flushed() == ["WINDOW_UPDATE 1"])
  }

  @Test func producersWaitForRealRoom() throws {
    let exchange = rig.start("POST", ends: false)
    rig.connection.send(ByteBuffer(repeating: 0x61, count: 40000), of: exchange)
    #expect(!rig.connection.isWritable(exchange))
    #expect(try rig.flushed() == ["HEADERS 1", "DATA 1", "DATA 1", "DATA 1"])
    #expect(rig.connection.isWritable(exchange))
    // The peer's window has 25535 bytes left.
    rig.connection.send(ByteBuffer(repeating: 0x61, count: 40000), of: exchange)
    #expect(try rig.flushed() == ["DATA 1", "DATA 1"])
    #expect(!rig.connection.isWritable(exchange))
    try rig.receive(Frame.window(1, 20000), Frame.window(0, 20000))
    #expect(try rig.flushed() == ["DATA 1"])
    #expect(rig.connection.isWritable(exchange))
    rig.channel.isWritable = false
    #expect(!rig.connection.isWritable(exchange))
    rig.connection.send(ByteBuffer(repeating: 0x61, count: 10), of: exchange)
    #expect(try rig.flushed() == [])
    rig.channel.isWritable = true
    rig.channel.pipeline.fireChannelWritabilityChanged()
    #expect(try rig.flushed() == ["DATA 1"])
  }

  /// Tells of a change of writability from within each flush, as a socket does.
  private final class Fidgety: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    func flush(context: ChannelHandlerContext) {
      context.flush()
      context.fireChannelWritabilityChanged()
    }
  }

  /// Bytes that wait for the stream's window count, and frames behind the stream's own don't.
  @Test func bytesThatTheServerHasNotAcknowledgedAreTheStreamsOwn() throws {
    let (upload, other) = (rig.start("POST", ends: false), rig.start("POST", ends: false))
    rig.connection.send(ByteBuffer(repeating: 7, count: 65_535), of: upload)
    #expect(rig.connection.unacknowledgedBytes(of: upload) == 65_535)
    _ = try rig.flushed()
    #expect(rig.connection.unacknowledgedBytes(of: upload) == 0)
    rig.connection.send(ByteBuffer(repeating: 7, count: 100), of: upload)
    rig.connection.send(ByteBuffer(repeating: 7, count: 200), of: other)
    _ = try rig.flushed()
    #expect(rig.connection.unacknowledgedBytes(of: upload) == 100)
    #expect(rig.connection.unacknowledgedBytes(of: other) == 200)
    rig.connection.machine.output.writePing(1)
    #expect(rig.connection.unacknowledgedBytes(of: upload) == 100)
  }

  @Test func writabilityThatChangesWhileWritingRepeatsNothing() throws {
    try rig.channel.pipeline.syncOperations.addHandler(Fidgety(), position: .first)
    let exchange = rig.start("POST", ends: false)
    rig.connection.send(ByteBuffer(repeating: 0x61, count: 40000), of: exchange)
    #expect(try rig.flushed() == ["HEADERS 1", "DATA 1", "DATA 1", "DATA 1"])
  }

  // MARK: liveness

  @Test func silentPeerIsAskedAndThenGivenUp() async throws {
    let exchange = rig.start()
    _ = try rig.flushed()
    rig.advance(by: Liveness.silence - 1)
    #expect(try rig.flushed() == [])
    rig.advance(by: 1)
    #expect(try rig.flushed() == ["PING 0"])
    rig.advance(by: Liveness.patience)
    #expect(await rig.error(exchange)?.kind == .networkConnectionLost)
    #expect(!rig.channel.isActive)
  }

  @Test func bodyOnASlowNetworkIsGivenItsTime() throws {
    let exchange = rig.start("POST", ends: false)
    rig.connection.send(ByteBuffer(repeating: 0x61, count: 10000), of: exchange)
    #expect(try rig.flushed() == ["HEADERS 1", "DATA 1"])
    for _ in 0..<100 { rig.advance(by: 1) }
    #expect(try rig.flushed() == ["PING 0"])
    #expect(rig.channel.isActive)
    for _ in 0..<100 { rig.advance(by: 1) }
    #expect(!rig.channel.isActive)
  }

  @Test func peerThatAnswersIsAskedLessAndLess() throws {
    rig.start()
    _ = try rig.flushed()
    var pings = 0
    for _ in 0..<1800 {
      rig.advance(by: 1)
      guard try rig.flushed() == ["PING 0"] else { continue }
      pings += 1
      try rig.receive(Frame.ping(ack: true))
    }
    // After 30, 60, 120, 240, 300, … seconds.
    #expect(pings == 8)
    #expect(rig.channel.isActive)
  }

  @Test func anythingThatComesIsASignOfLife() throws {
    rig.start()
    for _ in 0..<200 {
      rig.advance(by: 20)
      try rig.receive(Frame.window(0, 1))
    }
    #expect(try rig.flushed() == ["HEADERS 1"])
  }

  @Test func idleConnectionIsLeftAlone() throws {
    rig.start()
    try rig.receive(rig.head(1, ends: true))
    _ = try rig.flushed()
    rig.advance(by: 1000)
    #expect(try rig.flushed() == [])
    #expect(rig.clock.pending == 0)
    rig.start()
    rig.advance(by: Liveness.silence - 1)
    #expect(try rig.flushed() == ["HEADERS 3"])
  }

  /// Loads with short timeouts, one after the other, don't keep a dead connection in use.
  @Test func peerThatDidNotAnswerALoadIsAskedWhenItIsGivenUp() async throws {
    let first = rig.start()
    _ = try rig.flushed()
    rig.advance(by: 15)
    rig.connection.cancel(first)
    #expect(try Set(rig.flushed()) == ["PING 0", "RST_STREAM 1"])
    let second = rig.start()
    rig.advance(by: Liveness.patience)
    let error = await rig.error(second)
    #expect(error?.kind == .networkConnectionLost && error?.resendReason == .staleConnection)
    #expect(!rig.channel.isActive)
  }

  @Test func loadGivenUpAtOnceSaysNothingOfThePeer() throws {
    for _ in 0..<5 {
      rig.connection.cancel(rig.start())
      rig.advance(by: 0.1)
    }
    #expect(!(try rig.flushed()).contains("PING 0"))
  }
}
