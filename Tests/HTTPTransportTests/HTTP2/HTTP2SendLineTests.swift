import NIOCore
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct HTTP2SendLineTests {
  private func stream(_ id: Int32, pending: Int = 10, window: Int = 65535) -> HTTP2Stream {
    let stream = HTTP2Stream(id: id, exchange: nil, method: "POST", window: 65535, sendWindow: window, now: 0)
    stream.pending = ByteBuffer(repeating: 0, count: pending)
    return stream
  }

  @Test func streamIsInLineOnce() {
    var line = HTTP2SendLine()
    let stream = stream(1)
    line.queue(stream)
    line.queue(stream)
    #expect(line.next() === stream)
    #expect(line.next() == nil)
    #expect(!line.isReady)
  }

  @Test func streamsSendOneAfterTheOther() {
    var line = HTTP2SendLine()
    let (first, second) = (stream(1), stream(3))
    line.queue(first)
    line.queue(second)
    #expect(line.next() === first)
    line.queue(first)
    #expect(line.next() === second)
    #expect(line.next() === first)
  }

  @Test func blockedStreamWaitsForItsOwnWindow() throws {
    var line = HTTP2SendLine()
    let stream = stream(1, window: 0)
    line.queue(stream)
    #expect(line.next() === stream)
    line.block(stream)
    line.queue(stream)
    line.unblock(stream)
    #expect(line.next() == nil)
    stream.sendWindow = 1
    line.unblock(stream)
    #expect(line.next() === stream)
  }

  @Test func withoutAWindowOnlyAnEndIsSent() throws {
    var line = HTTP2SendLine()
    let (large, end) = (stream(1), stream(3, pending: 0))
    line.count(65535, of: large)
    #expect(large.sendWindow == 0)
    line.queue(large)
    #expect(!line.isReady)
    line.queue(end)
    #expect(line.isReady)
    #expect(line.next() === end)
    #expect(line.next() == nil)
    try line.widen(by: 1)
    #expect(line.next() === large)
  }

  @Test func windowGrowsByMoreThanNothingAndNotTooFar() {
    var line = HTTP2SendLine()
    #expect(throws: HTTP2ConnectionError.self) { try line.widen(by: 0) }
    #expect(throws: HTTP2ConnectionError.self) { try line.widen(by: PeerSettings.largestWindow) }
  }

  @Test func settingsSayWhatThePeerAllows() throws {
    var peer = PeerSettings()
    #expect(try peer.apply(.maximumConcurrentStreams, 7) == 0)
    #expect(peer.maximumStreams == 7)
    #expect(try peer.apply(.maximumFrameSize, 1 << 20) == 0)
    #expect(peer.frameLimit == 1 << 20)
    #expect(try peer.apply(.initialWindowSize, 100_000) == 34465)
    #expect(try peer.apply(.initialWindowSize, 0) == -100_000)
    #expect(try peer.apply(.enableConnectProtocol, 1) == 0)
    #expect(peer.allowsExtendedConnect)
    // RFC 9113, 6.5.2: unknown ones are ignored.
    #expect(try peer.apply(HTTP2Setting(rawValue: 0x99), 3) == 0)
  }

  @Test(arguments: [
    (HTTP2Setting.enablePush, UInt32(1)), (.initialWindowSize, 1 << 31), (.maximumFrameSize, 1), (.maximumFrameSize, 1 << 24),
    (.enableConnectProtocol, 2),
  ])
  func settingThatCannotBeEndsTheConnection(setting: HTTP2Setting, value: UInt32) {
    var peer = PeerSettings()
    #expect(throws: HTTP2ConnectionError.self) { _ = try peer.apply(setting, value) }
  }

  @Test func extendedConnectIsNotTakenBack() throws {
    var peer = PeerSettings()
    _ = try peer.apply(.enableConnectProtocol, 1)
    #expect(throws: HTTP2ConnectionError.self) { _ = try peer.apply(.enableConnectProtocol, 0) }
  }
}
