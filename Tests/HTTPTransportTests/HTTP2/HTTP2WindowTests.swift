import LoadingModel
import NIOCore
import Testing

@testable import HTTPTransport

/// Flow control both ways (RFC 9113, 5.2), and which stream may send when.
@Suite(.timeLimit(.minutes(10))) struct HTTP2WindowTests {
  private func sendAll(_ rig: inout HTTP2Rig) -> [String] {
    rig.machine.pump(limit: 1 << 20)
    return rig.sent()
  }

  private func body(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 0x61, count: count) }

  // MARK: sending

  @Test func bodyOfKnownLengthEndsWithItsLastFrame() throws {
    var rig = try HTTP2Rig()
    let stream = rig.start("POST", [("Content-Length", "20000")], ends: false)
    rig.machine.send(body(20000), stream)
    #expect(sendAll(&rig) == ["HEADERS 1 flags 4", "DATA 1 16375", "DATA 1 flags 1 3625"])
    rig.machine.finish(stream)
    #expect(sendAll(&rig) == [])
  }

  @Test func bodyOfUnknownLengthEndsWithAnEmptyFrame() throws {
    var rig = try HTTP2Rig()
    let stream = rig.start("POST", ends: false)
    rig.machine.send(body(3), stream)
    #expect(sendAll(&rig) == ["HEADERS 1 flags 4", "DATA 1 3"])
    rig.machine.finish(stream)
    #expect(sendAll(&rig) == ["DATA 1 flags 1 0"])
    let other = rig.start("POST", ends: false)
    rig.machine.send(body(3), other)
    rig.machine.finish(other)
    #expect(sendAll(&rig) == ["HEADERS 3 flags 4", "DATA 3 flags 1 3"])
  }

  @Test func endWithoutBytesNeedsNoWindow() throws {
    var rig = try HTTP2Rig()
    let stream = rig.start("POST", ends: false)
    rig.machine.send(body(40000), stream)
    _ = sendAll(&rig)
    // 6.9.2: below zero.
    _ = try rig.feed(Frame.settings([(4, 16384)]))
    #expect(stream.sendWindow == 16384 - 40000)
    rig.machine.finish(stream)
    #expect(sendAll(&rig) == ["SETTINGS 0 flags 1", "DATA 1 flags 1 0"])
  }

  @Test func trailersNeedNoWindow() throws {
    var rig = try HTTP2Rig()
    let stream = rig.start("POST", ends: false)
    rig.machine.send(body(40000), stream)
    _ = sendAll(&rig)
    _ = try rig.feed(Frame.settings([(4, 0)]))
    rig.machine.finish(stream, HeaderFields([("Digest", "x")]))
    #expect(sendAll(&rig) == ["SETTINGS 0 flags 1", "HEADERS 1 flags 5"])
  }

  @Test func streamsTakeTurns() throws {
    var rig = try HTTP2Rig()
    for stream in [rig.start("POST", ends: false), rig.start("POST", ends: false)] { rig.machine.send(body(32750), stream) }
    #expect(sendAll(&rig).suffix(4) == ["DATA 1 16375", "DATA 3 16375", "DATA 1 16375", "DATA 3 16375"].suffix(4))
  }

  @Test func blockedStreamDoesNotHoldUpOthers() throws {
    var rig = try HTTP2Rig(settings: [(4, 10)])
    let streams = [rig.start("POST", ends: false), rig.start("POST", ends: false)]
    _ = rig.sent()
    for stream in streams { rig.machine.send(body(15), stream) }
    #expect(sendAll(&rig) == ["DATA 1 10", "DATA 3 10"])
    _ = try rig.feed(Frame.window(3, 100))
    #expect(sendAll(&rig) == ["DATA 3 5"])
    // 6.9.2: a smaller initial window can take a stream's below zero.
    _ = try rig.feed(Frame.settings([(4, 2)]))
    #expect(streams[0].sendWindow == -8)
    _ = try rig.feed(Frame.window(1, 8))
    #expect(sendAll(&rig) == ["SETTINGS 0 flags 1"])
    _ = try rig.feed(Frame.settings([(4, 20)]))
    #expect(sendAll(&rig) == ["SETTINGS 0 flags 1", "DATA 1 5"])
  }

  @Test func connectionWindowBoundsAllStreams() throws {
    var rig = try HTTP2Rig(settings: [(4, 1 << 20)])
    let stream = rig.start("POST", ends: false)
    _ = rig.sent()
    rig.machine.send(body(70000), stream)
    #expect(sendAll(&rig) == ["DATA 1 16375", "DATA 1 16375", "DATA 1 16375", "DATA 1 16375", "DATA 1 35"])
    _ = try rig.feed(Frame.window(0, 5000))
    #expect(sendAll(&rig) == ["DATA 1 4465"])
    // An end without bytes needs no window.
    _ = try rig.feed(Frame.window(0, 1))
    rig.machine.line.count(rig.machine.line.window, of: stream)
    rig.machine.finish(stream)
    #expect(sendAll(&rig) == ["DATA 1 flags 1 0"])
  }

  @Test func endWithoutBytesPassesThoseThatWaitForAWindow() throws {
    var rig = try HTTP2Rig(settings: [(4, 1 << 20)])
    let (large, other) = (rig.start("POST", ends: false), rig.start("POST", ends: false))
    _ = rig.sent()
    rig.machine.send(body(70000), large)
    #expect(sendAll(&rig).last == "DATA 1 35")
    rig.machine.finish(other)
    #expect(rig.machine.hasLine)
    #expect(sendAll(&rig) == ["DATA 3 flags 1 0"])
    #expect(!rig.machine.hasLine)
  }

  @Test func cancelledStreamSendsNoMore() throws {
    var rig = try HTTP2Rig()
    let stream = rig.start("POST", ends: false)
    rig.machine.send(body(100), stream)
    rig.machine.cancel(stream)
    #expect(sendAll(&rig) == ["HEADERS 1 flags 4", "RST_STREAM 1 CANCEL"])
  }

  @Test func longHeadGoesOnInContinuations() throws {
    var rig = try HTTP2Rig()
    rig.start("GET", [("X-Long", String(repeating: "&", count: 40000))])
    #expect(rig.sent() == ["HEADERS 1 flags 1", "CONTINUATION 1", "CONTINUATION 1 flags 4"])
  }

  @Test func streamsAreWithinThePeersLimit() throws {
    var rig = try HTTP2Rig(settings: nil)
    #expect(rig.machine.availableStreams == 100)
    _ = try rig.feed(Frame.settings([(3, 2)]))
    rig.start()
    #expect(rig.machine.availableStreams == 1)
    _ = try rig.feed(Frame.settings([(3, 0)]))
    #expect(rig.machine.availableStreams == 0)
    _ = try rig.feed(Frame.settings([(3, UInt32.max)]))
    #expect(rig.machine.availableStreams > 1000)
    rig.machine.nextID = .max
    rig.start()
    #expect(rig.machine.availableStreams == 0)
  }

  // MARK: receiving

  /// Lets the peer send `count` bytes on a stream in frames of 16 KiB.
  private func receive(_ rig: inout HTTP2Rig, _ stream: Int32, _ count: Int, credits: Bool, step: UInt64 = 0) throws {
    for _ in 0..<(count / 16384) {
      rig.machine.now += step
      _ = try rig.feed(Frame.make(0, 0, stream, [UInt8](repeating: 0x61, count: 16384)))
      if credits, let open = rig.machine.streams[stream] { rig.machine.credit(open) }
      rig.machine.creditConnection()
    }
  }

  @Test func readerThatKeepsUpIsCreditedInBatches() throws {
    var rig = try HTTP2Rig()
    rig.start()
    _ = try rig.feed(rig.head(1))
    _ = rig.sent()
    try receive(&rig, 1, 256 * 1024, credits: true)
    #expect(rig.sent() == ["WINDOW_UPDATE 1 131072", "WINDOW_UPDATE 1 131072"])
  }

  @Test func readerThatStopsIsNotCreditedAndStopsNobodyElse() throws {
    var rig = try HTTP2Rig()
    for _ in 0..<70 { rig.start() }
    for number in 0..<70 { _ = try rig.feed(rig.head(Int32(number * 2 + 1))) }
    _ = rig.sent()
    // 69 readers that have stopped, with full windows: more than the connection's window in all.
    for number in 0..<69 { try receive(&rig, Int32(number * 2 + 1), ReceiveCredit.initialWindow, credits: false) }
    #expect(rig.sent().allSatisfy { $0.hasPrefix("WINDOW_UPDATE 0") })
    try receive(&rig, 139, ReceiveCredit.initialWindow * 4, credits: true)
    #expect(rig.sent().contains { $0.hasPrefix("WINDOW_UPDATE 139") })
    // One byte more than its window is the stream's fault.
    #expect(try rig.feed(Frame.data(1, "x")) == ["failed 1 cannotParseResponse"])
    #expect(rig.sent() == ["RST_STREAM 1 FLOW_CONTROL_ERROR"])
  }

  @Test func moreThanTheConnectionsWindowIsAnError() throws {
    var rig = try HTTP2Rig()
    for _ in 0..<70 { rig.start() }
    for number in 0..<70 { _ = try rig.feed(rig.head(Int32(number * 2 + 1))) }
    let full = Frame.make(0, 0, 1, [UInt8](repeating: 0, count: 16384))
    var code: HTTP2ErrorCode?
    for stream in 0..<70 where code == nil {
      var frame = full
      frame.replaceSubrange(5..<9, with: Frame.number(UInt32(stream * 2 + 1)))
      for _ in 0..<16 where code == nil { code = rig.violation(frame) }
    }
    #expect(code == .flowControlError)
  }

  @Test func windowsGrowWhereTheyAreWhatIsWaitedFor() throws {
    var rig = try HTTP2Rig()
    rig.machine.now = 1_000_000
    rig.machine.credit.settingsSent(0)
    // A round trip of one millisecond.
    _ = try rig.feed(Frame.make(4, 1, 0, []))
    rig.start()
    rig.start()
    let heads = rig.head(1) + rig.head(3)
    _ = try rig.feed(heads)
    // Half a window in 80 ms: the server, or the network, is what takes the time.
    try receive(&rig, 3, 1 << 20, credits: true, step: 10_000_000)
    #expect(rig.machine.streams[3]?.windowSize == ReceiveCredit.initialWindow)
    try receive(&rig, 1, 64 << 20, credits: true, step: 10_000)
    #expect(rig.machine.streams[1]?.windowSize == ReceiveCredit.largestWindow)
    #expect(rig.machine.streams[3]?.windowSize == ReceiveCredit.initialWindow)
  }

  @Test func windowsGrowWithinACommonBudget() throws {
    var rig = try HTTP2Rig()
    _ = try rig.feed(Frame.make(4, 1, 0, []))
    for _ in 0..<8 { rig.start() }
    for number in 0..<8 { _ = try rig.feed(rig.head(Int32(number * 2 + 1))) }
    for number in 0..<8 { try receive(&rig, Int32(number * 2 + 1), 32 << 20, credits: true) }
    let grown = rig.machine.streams.streams.reduce(0) { $0 + $1.windowSize - ReceiveCredit.initialWindow }
    #expect(grown == ReceiveCredit.growthBudget)
    // What an ended stream's window had grown by is returned.
    if let first = rig.machine.streams[1] { rig.machine.cancel(first) }
    try receive(&rig, 15, 32 << 20, credits: true)
    #expect(rig.machine.streams[15]?.windowSize == ReceiveCredit.largestWindow)
  }

  @Test func paddingAndUnwantedDataCountForTheConnection() throws {
    var rig = try HTTP2Rig()
    let stream = rig.start()
    _ = try rig.feed(rig.head(1))
    rig.machine.cancel(stream)
    _ = rig.sent()
    for _ in 0..<256 { _ = try rig.feed(Frame.make(0, 8, 1, [255] + [UInt8](repeating: 0, count: 16383))) }
    rig.machine.creditConnection()
    #expect(rig.sent() == ["WINDOW_UPDATE 0 4194304"])
  }
}
