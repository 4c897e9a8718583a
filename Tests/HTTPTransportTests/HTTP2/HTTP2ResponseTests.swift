import LoadingModel
import NIOCore
import Testing

@testable import HTTPTransport

/// Responses, well-formed and not (RFC 9113, 8).
@Suite(.timeLimit(.minutes(10))) struct HTTP2ResponseTests {
  @Test func prefaceComesFirst() {
    var machine = HTTP2Machine(scheme: "https")
    machine.begin()
    let start = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8
    let expected: [UInt8] =
      Array(start) + bytes("000018040000000000" + "000200000000" + "000400040000" + "000600040000" + "000900000001")
      + bytes("000004080000000000" + "00ff0001")
    #expect(Array(machine.output.readableBytesView) == expected)
  }

  @Test func requestTakesPseudoFieldsFromItsHead() throws {
    var rig = try HTTP2Rig()
    rig.start("GET", [("Connection", "keep-alive"), ("Upgrade", "x"), ("TE", "trailers"), ("Accept", "*/*")])
    var frame = rig.machine.output
    let first = frame.readFrameHeader()
    let header = try #require(first)
    #expect(header.type == HTTP2FrameHeader.Kind.headers && header.flags == 5 && header.stream == 1)
    var section = FieldSection()
    var decoder = HPACKDecoder()
    try frame.withUnsafeReadableBytes { try decoder.decode($0, into: &section) }
    // Pseudo-header fields of requests aren't a response's: the table is looked at instead.
    #expect(section.flaw == .pseudoField)
    // GET, https, ":authority" as a literal, "/".
    #expect(Array(frame.readableBytesView.prefix(4)) == [0x82, 0x87, 0x41, 0x88])
    #expect(frame.readableBytesView.contains(0x84))
  }

  @Test func responseArrivesInOrder() throws {
    var rig = try HTTP2Rig()
    rig.start()
    let head = rig.head(1, [(":status", "200"), ("content-length", "5")])
    #expect(
      try rig.feed(head, Frame.data(1, "hel"), Frame.data(1, "lo", ends: true)) == ["head 1 200", "data 1 hel", "data 1 lo", "end 1"])
    #expect(rig.machine.streams.isEmpty)
    #expect(rig.sent() == ["HEADERS 1 flags 5"])
  }

  @Test func bytesMayComeOneByOne() throws {
    var rig = try HTTP2Rig()
    rig.start()
    let all = rig.head(1) + Frame.make(0, 9, 1, [2, 0x61, 0x62, 0, 0])
    var events: [String] = []
    for byte in all { events += try rig.feed([byte]) }
    #expect(events == ["head 1 200", "data 1 a", "data 1 b", "end 1"])
  }

  @Test func informationalResponsesComeBeforeTheFinalOne() throws {
    var rig = try HTTP2Rig()
    rig.start()
    let heads = [rig.head(1, [(":status", "103"), ("link", "x")]), rig.head(1, ends: true)]
    #expect(try rig.feed(heads[0] + heads[1]) == ["informational 1 103", "head 1 200", "end 1"])
  }

  @Test func trailersEndTheResponse() throws {
    var rig = try HTTP2Rig()
    rig.start()
    let (head, trailers) = (rig.head(1), rig.head(1, [("digest", "x")], ends: true))
    #expect(try rig.feed(head, Frame.data(1, "a"), trailers) == ["head 1 200", "data 1 a", "end 1"])
  }

  @Test func headersGoOnInContinuations() throws {
    var rig = try HTTP2Rig()
    rig.start()
    let block = rig.block([(":status", "204"), ("a", "b")])
    let frames = Frame.make(1, 0x20 | 0x8 | 1, 1, [3, 0, 0, 0, 0, 9] + block.prefix(1) + [0, 0, 0]) + Frame.make(9, 0, 1, [])
    #expect(try rig.feed(frames, Frame.make(9, 4, 1, Array(block.dropFirst()))) == ["head 1 204", "end 1"])
  }

  @Test func responsesToHeadHaveNoBody() throws {
    var rig = try HTTP2Rig()
    rig.start("HEAD")
    #expect(try rig.feed(rig.head(1, [(":status", "200"), ("content-length", "5")], ends: true)) == ["head 1 200", "end 1"])
    rig.start("HEAD")
    let head = rig.head(3, [(":status", "200"), ("content-length", "5")])
    #expect(try rig.feed(head, Frame.data(3, "hello")) == ["head 3 200", "failed 3 cannotParseResponse"])
  }

  @Test func tunnelsOfExtendedConnectCarryDataBothWays() throws {
    var rig = try HTTP2Rig(settings: [(8, 1)])
    #expect(rig.machine.peer.allowsExtendedConnect)
    var request = OutgoingRequest(
      method: "CONNECT", target: "/chat", headers: HeaderFields([("Host", "example.org")]), isChunked: false, closesAfter: false)
    request.connectProtocol = "websocket"
    let stream = rig.machine.start(nil, request, endsStream: false).0
    #expect(try rig.feed(rig.head(1), Frame.data(1, "a")) == ["head 1 200", "data 1 a"])
    rig.machine.send(ByteBuffer(string: "b"), stream)
    rig.machine.pump(limit: 1000)
    #expect(rig.sent() == ["HEADERS 1 flags 4", "DATA 1 1"])
  }

  @Test func responseThatEndsBeforeTheRequestResetsIt() throws {
    var rig = try HTTP2Rig()
    rig.start("POST", ends: false)
    #expect(try rig.feed(rig.head(1, ends: true)) == ["head 1 200", "end 1"])
    #expect(rig.sent() == ["HEADERS 1 flags 4", "RST_STREAM 1 NO_ERROR"])
    // A legal race.
    #expect(try rig.feed(Frame.reset(1, .noError), Frame.window(1, 5)) == [])
  }

  /// RFC 9113, 8.1: "Clients MUST NOT discard responses as a result of receiving such a RST_STREAM".
  @Test func resetWithoutErrorTakesNoWholeResponseAway() throws {
    var rig = try HTTP2Rig()
    for _ in 0..<4 { rig.start("POST", ends: false) }
    let length = [(":status", "413"), ("content-length", "3")]
    #expect(try rig.feed(rig.head(1, length), Frame.data(1, "abc", ends: true) + Frame.reset(1, .noError)).last == "end 1")
    // Its length says that nothing is missing.
    #expect(try rig.feed(rig.head(3, length), Frame.data(3, "abc"), Frame.reset(3, .noError)).last == "end 3")
    #expect(try rig.feed(rig.head(5, length), Frame.data(5, "ab"), Frame.reset(5, .noError)).last == "failed 5 networkConnectionLost")
    #expect(try rig.feed(rig.head(7), Frame.data(7, "ab"), Frame.reset(7, .noError)).last == "failed 7 networkConnectionLost")
    #expect(rig.machine.streams.isEmpty)
  }

  @Test(arguments: [
    ([(":status", "101")], false), ([(":status", "100")], true), ([("a", "b")], true), ([(":status", "200"), (":status", "200")], true),
    ([(":status", "200"), (":path", "/")], true), ([("a", "b"), (":status", "200")], true),
    ([(":status", "200"), ("connection", "x")], true),
    ([(":status", "2000")], true), ([(":status", "200"), ("a", " b")], true), ([(":status", "200"), ("content-length", "x")], true),
    ([(":status", "200"), ("content-length", "1"), ("content-length", "2")], true),
  ])
  func malformedHeadsFailTheirStreamAlone(fields: [(String, String)], ends: Bool) throws {
    var rig = try HTTP2Rig()
    rig.start()
    rig.start()
    _ = rig.sent()
    #expect(try rig.feed(rig.head(1, fields, ends: ends)) == ["failed 1 cannotParseResponse"])
    #expect(rig.sent() == ["RST_STREAM 1 PROTOCOL_ERROR"])
    // What was under way already is of no interest.
    #expect(try rig.feed(Frame.data(1, "x")) == [])
    #expect(try rig.feed(rig.head(3, ends: true)) == ["head 3 200", "end 3"])
  }

  @Test func bodiesMustHaveTheirAnnouncedLength() throws {
    var rig = try HTTP2Rig()
    for _ in 0..<3 { rig.start() }
    let length = [(":status", "200"), ("content-length", "3")]
    #expect(try rig.feed(rig.head(1, length), Frame.data(1, "ab", ends: true)).last == "failed 1 networkConnectionLost")
    #expect(try rig.feed(rig.head(3, length), Frame.data(3, "ab"), Frame.data(3, "cd")).last == "failed 3 cannotParseResponse")
    #expect(try rig.feed(rig.head(5, length, ends: true)) == ["head 5 200", "failed 5 networkConnectionLost"])
  }

  @Test func bodyBeforeTheHeadAndHeadAfterTheBodyFailTheStream() throws {
    var rig = try HTTP2Rig()
    for _ in 0..<3 { rig.start() }
    #expect(try rig.feed(Frame.data(1, "abc", ends: true)) == ["failed 1 cannotParseResponse"])
    #expect(try rig.feed(rig.head(3), rig.head(3)) == ["head 3 200", "failed 3 cannotParseResponse"])
    #expect(try rig.feed(rig.head(5), rig.head(5, [(":status", "200")], ends: true)) == ["head 5 200", "failed 5 cannotParseResponse"])
    #expect(rig.machine.streams.isEmpty)
  }

  @Test func resetSaysWhetherTheRequestWasProcessed() throws {
    var rig = try HTTP2Rig()
    for _ in 0..<4 { rig.start() }
    #expect(try rig.feed(Frame.reset(1, .refusedStream)) == ["failed 1 networkConnectionLost refused"])
    #expect(try rig.feed(Frame.reset(3, .http11Required)) == ["failed 3 networkConnectionLost needsHTTP1"])
    #expect(try rig.feed(Frame.reset(5, .internalError)) == ["failed 5 networkConnectionLost"])
    // Once there is a response, it has been processed.
    #expect(try rig.feed(rig.head(7), Frame.reset(7, .refusedStream)) == ["head 7 200", "failed 7 networkConnectionLost"])
  }

  @Test func goAwayRefusesWhatIsAboveItsLastStream() throws {
    var rig = try HTTP2Rig()
    for _ in 0..<3 { rig.start() }
    #expect(rig.machine.availableStreams == 97)
    // A server that closes gracefully first says that it takes everything (RFC 9113, 6.8).
    #expect(try rig.feed(Frame.goAway(.max)) == ["away []"])
    #expect(rig.machine.availableStreams == 0)
    #expect(try rig.feed(Frame.goAway(1)) == ["away [3, 5]"])
    #expect(try rig.feed(rig.head(1, ends: true)) == ["head 1 200", "end 1"])
    #expect(rig.violation(Frame.goAway(3)) == .protocolError)
  }
}
