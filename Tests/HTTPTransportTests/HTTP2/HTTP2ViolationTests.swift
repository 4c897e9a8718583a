import LoadingModel
import NIOCore
import Testing

@testable import HTTPTransport

/// Peers that break the rules for the whole connection, or flood it (RFC 9113, 5.4.1 and 10.5).
@Suite(.timeLimit(.minutes(10))) struct HTTP2ViolationTests {
  /// Frames after a valid beginning, with stream 1 open and stream 3 ended.
  private func violation(_ bytes: [UInt8]...) throws -> HTTP2ErrorCode? {
    var rig = try HTTP2Rig()
    rig.start()
    rig.start()
    _ = try rig.feed(rig.head(3, ends: true))
    for part in bytes { if let code = rig.violation(part) { return code } }
    return nil
  }

  @Test func firstFrameMustBeSettings() throws {
    for frame in [Frame.ping(), Frame.make(4, 1, 0, []), Frame.goAway(0), Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)] {
      var rig = try HTTP2Rig(settings: nil)
      #expect(rig.violation(frame) != nil)
    }
  }

  @Test func wrongSizesAreErrors() throws {
    for frame in [
      Frame.make(3, 0, 1, [0, 0, 0]), Frame.make(4, 0, 0, [0]), Frame.make(4, 1, 0, [0, 0, 0, 0, 0, 0]), Frame.make(6, 0, 0, [0]),
      Frame.make(7, 0, 0, [0, 0, 0, 0]), Frame.make(8, 0, 1, [0, 0, 0]), Frame.make(0, 8, 1, []), Frame.make(1, 0x2C, 1, [0, 0, 0]),
      Frame.make(2, 0, 1, [0, 0, 0, 0]), Frame.make(2, 0, 1, [0, 0, 0, 0, 0, 0]),
      Array(Frame.make(0, 0, 1, [UInt8](repeating: 0, count: 16385))[..<9]),
    ] { #expect(try violation(frame) == .frameSizeError, "\(frame)") }
  }

  @Test func framesOnTheWrongStreamAreErrors() throws {
    for frame in [
      Frame.data(0, "x"), Frame.make(2, 0, 0, [0, 0, 0, 0, 0]), Frame.make(1, 4, 0, [0x88]), Frame.make(3, 0, 0, [0, 0, 0, 0]),
      Frame.make(4, 0, 1, []),
      Frame.make(6, 0, 1, [UInt8](repeating: 0, count: 8)), Frame.make(7, 0, 1, [UInt8](repeating: 0, count: 8)),
      // Streams that were never begun, and a server's own.
      Frame.data(5, "x"), Frame.data(2, "x"), Frame.make(1, 4, 5, [0x88]), Frame.reset(5, .cancel), Frame.window(5, 1),
      Frame.reset(2, .cancel),
    ] { #expect(try violation(frame) == .protocolError, "\(frame)") }
  }

  @Test func nothingMayFollowTheEndOfAStream() throws {
    #expect(try violation(Frame.data(3, "x")) == .streamClosed)
    #expect(try violation(Frame.headers(3, [0x88])) == .streamClosed)
    // These may have been under way.
    #expect(try violation(Frame.window(3, 1), Frame.reset(3, .noError), Frame.make(2, 0, 3, [0, 0, 0, 0, 1])) == nil)
  }

  @Test func pushIsAnError() throws {
    #expect(try violation(Frame.make(5, 4, 1, [0, 0, 0, 2, 0x88])) == .protocolError)
    #expect(try violation(Frame.settings([(2, 1)])) == .protocolError)
    #expect(try violation(Frame.settings([(2, 0)])) == nil)
  }

  @Test func settingsOutOfBoundsAreErrors() throws {
    #expect(try violation(Frame.settings([(4, 1 << 31)])) == .flowControlError)
    #expect(try violation(Frame.settings([(5, 16383)])) == .protocolError)
    #expect(try violation(Frame.settings([(5, 1 << 24)])) == .protocolError)
    #expect(try violation(Frame.settings([(8, 1)]), Frame.settings([(8, 0)])) == .protocolError)
    #expect(try violation(Frame.settings([(77, 1), (3, 0)])) == nil)
  }

  @Test func windowsHaveALargestSize() throws {
    #expect(try violation(Frame.window(0, 0)) == .protocolError)
    #expect(try violation(Frame.window(0, (1 << 31) - 1)) == .flowControlError)
    #expect(try violation(Frame.window(1, 100), Frame.settings([(4, (1 << 31) - 1)])) == .flowControlError)
    var rig = try HTTP2Rig()
    rig.start()
    rig.start()
    #expect(try rig.feed(Frame.window(1, (1 << 31) - 1)) == ["failed 1 cannotParseResponse"])
    #expect(try rig.feed(Frame.window(3, 0)) == ["failed 3 cannotParseResponse"])
    #expect(rig.sent().suffix(2) == ["RST_STREAM 1 FLOW_CONTROL_ERROR", "RST_STREAM 3 PROTOCOL_ERROR"])
  }

  @Test func paddingMustFitItsFrame() throws {
    #expect(try violation(Frame.headers(1, [0x88]), Frame.make(0, 8, 1, [3, 0, 0])) == .protocolError)
    #expect(try violation(Frame.make(1, 12, 1, [2, 0x88])) == .protocolError)
    #expect(try violation(Frame.headers(1, [0x88]), Frame.make(0, 8, 1, [2, 0, 0])) == nil)
  }

  @Test func fieldSectionsMustNotBeInterrupted() throws {
    let beginning = Frame.make(1, 0, 1, [0x88])
    #expect(try violation(beginning, Frame.ping()) == .protocolError)
    #expect(try violation(beginning, Frame.make(9, 4, 3, [])) == .protocolError)
    #expect(try violation(beginning, beginning) == .protocolError)
    #expect(try violation(Frame.make(9, 4, 1, [0x88])) == .protocolError)
    #expect(try violation(beginning, Frame.make(9, 4, 1, [])) == nil)
  }

  @Test func corruptFieldSectionsAreErrorsEvenWhereNobodyWantsThem() throws {
    #expect(try violation(Frame.headers(1, [0xFF])) == .compressionError)
    #expect(try violation(Frame.headers(1, [0xBF])) == .compressionError)
    #expect(try violation(Frame.headers(3, [0x80])) == .compressionError)
  }

  @Test func unknownFramesAreIgnored() throws {
    #expect(try violation(Frame.make(10, 0xFF, 0, [1, 2, 3]), Frame.make(200, 1, 1, []), Frame.make(2, 0, 1, [0, 0, 0, 1, 1])) == nil)
  }

  // MARK: floods

  @Test(arguments: [
    Frame.ping(), Frame.ping(ack: true), Frame.settings([]), Frame.make(4, 1, 0, []), Frame.data(1, ""),
    Frame.make(2, 0, 1, [0, 0, 0, 0, 1]),
    Frame.window(0, 1), Frame.make(99, 0, 0, []), Frame.reset(3, .cancel), Frame.goAway(9),
  ])
  func floodsAreCutOff(frame: [UInt8]) throws {
    var rig = try HTTP2Rig()
    rig.start()
    rig.start()
    let heads = rig.head(1) + rig.head(3, ends: true)
    _ = try rig.feed(heads)
    var code: HTTP2ErrorCode?
    var count = 0
    while code == nil, count < 5000 {
      code = rig.violation(frame)
      count += 1
    }
    #expect(code == .enhanceYourCalm)
    #expect(count > 1000)
    #expect(rig.machine.output.readableBytes < 64 * 1024)
  }

  @Test func frequentFramesBesideProgressAreNoFlood() throws {
    var rig = try HTTP2Rig()
    rig.start()
    _ = try rig.feed(rig.head(1))
    for _ in 0..<5000 { _ = try rig.feed(Frame.ping(), Frame.data(1, "x")) }
    // Nor are rare ones on a connection that does nothing.
    for second in 0..<5000 {
      rig.machine.now = UInt64(second) * 1_000_000_000
      _ = try rig.feed(Frame.ping())
    }
  }

  @Test func continuationsWithoutEndAreCutOff() throws {
    for part in [[], [UInt8](repeating: 0x88, count: 16384)] {
      var rig = try HTTP2Rig()
      rig.start()
      _ = try rig.feed(Frame.make(1, 0, 1, [0x88]))
      var count = 0
      while rig.violation(Frame.make(9, 0, 1, part)) == nil, count < 1000 { count += 1 }
      #expect(count < 64)
      #expect(rig.violation(Frame.make(9, 0, 1, part)) != nil)
    }
  }

  @Test func tooLongHeadsFailTheirStreamAlone() throws {
    var rig = try HTTP2Rig()
    rig.start()
    rig.start()
    _ = rig.sent()
    // A field of 4000 bytes in the table, and 100 references to it.
    let block = rig.block([(":status", "200"), ("a", String(repeating: "&", count: 4000))]) + [UInt8](repeating: 0xBE, count: 100)
    #expect(try rig.feed(Frame.headers(1, block)) == ["failed 1 cannotParseResponse"])
    #expect(rig.sent() == ["RST_STREAM 1 PROTOCOL_ERROR"])
    #expect(try rig.feed(rig.head(3, ends: true)) == ["head 3 200", "end 3"])
  }
}
