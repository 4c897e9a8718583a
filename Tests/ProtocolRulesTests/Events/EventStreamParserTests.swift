import Foundation
import ProtocolRules
import Testing

/// HTML, 9.2.5 and 9.2.6.
struct EventStreamParserTests {
  /// The events of a stream, which must be the same however it is cut in two, and byte by byte.
  private func events(_ bytes: [UInt8], limit: Int = 1000) throws -> [EventStreamParser.Event] {
    let expected = try events([bytes[...]], limit)
    #expect(try events(bytes.indices.map { bytes[$0...$0] }, limit) == expected)
    for boundary in bytes.indices {
      #expect(try events([bytes[..<boundary], bytes[boundary...]], limit) == expected, "cut at \(boundary)")
    }
    return expected
  }

  private func events(_ pieces: [ArraySlice<UInt8>], _ limit: Int) throws -> [EventStreamParser.Event] {
    var parser = EventStreamParser(limit: limit)
    var events: [EventStreamParser.Event] = []
    for piece in pieces {
      // As a slice, whose indices don't begin with zero.
      parser.refill(Data([0] + piece).dropFirst())
      while let event = try parser.nextEvent() { events.append(event) }
    }
    return events
  }

  private func events(_ text: String) throws -> [EventStreamParser.Event] { try events(Array(text.utf8)) }
  private func data(_ text: String) throws -> [String] { try events(text).map(\.data) }

  // MARK: the standard's examples

  @Test func linesOfDataAreOneEvent() throws {
    #expect(try data("data: YHOO\ndata: +2\ndata: 10\n\n") == ["YHOO\n+2\n10"])
  }

  @Test func messagesOfTheIntroduction() throws {
    let text = """
      data: This is the first message.

      data: This is the second message, it
      data: has two lines.

      data: This is the third message.


      """
    #expect(
      try data(text) == ["This is the first message.", "This is the second message, it\nhas two lines.", "This is the third message."])
  }

  @Test func eventsHaveTypes() throws {
    let text = "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n"
    #expect(try events(text).map(\.type) == ["add", "remove", "add"])
    #expect(try data(text) == ["73857293", "2153", "113411"])
  }

  @Test func blocksOfCommentIdAndSpaces() throws {
    let text = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n"
    let complete = try events(text + "\n")
    #expect(complete.map(\.data) == ["first event", "second event", " third event"])
    #expect(complete.map(\.id) == ["1", "", ""])
    #expect(try data(text) == ["first event", "second event"])
  }

  @Test func dataWithoutAValueIsAnEvent() throws {
    #expect(try data("data\n\ndata\ndata\n\ndata:") == ["", "\n"])
  }

  @Test func spaceAfterTheColonIsIgnored() throws {
    #expect(try data("data:test\n\ndata: test\n\n") == ["test", "test"])
  }

  // MARK: lines

  @Test(arguments: ["\n", "\r", "\r\n"]) func everyLineEndCounts(end: String) throws {
    let text = "data: a\(end)data: b\(end)\(end)data: c\(end)\(end)"
    #expect(try data(text) == ["a\nb", "c"])
  }

  @Test func lineEndsMayBeMixed() throws {
    #expect(try data("data: a\r\ndata: b\rdata: c\n\rdata: d\n\r\ndata: e\r\r\n") == ["a\nb\nc", "d", "e"])
  }

  @Test func otherLineSeparatorsAreText() throws {
    #expect(try data("data: a\u{85}b\u{2028}c\u{0B}d\u{0C}\n\n") == ["a\u{85}b\u{2028}c\u{0B}d\u{0C}"])
  }

  @Test func oneByteOrderMarkIsIgnored() throws {
    #expect(try data("\u{FEFF}data: a\n\n") == ["a"])
    #expect(try data("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n") == ["b"])
    #expect(try data("data: a\n\n\u{FEFF}data: b\n\n") == ["a"])
    #expect(try data("\u{FEFF}:comment\n\u{FEFF}\ndata: b\n\n") == ["b"])
  }

  @Test func illFormedBytesAreRepaired() throws {
    #expect(try events(Array("data: a".utf8) + [0xFF, 0xE2, 0x80, 0x0A, 0x0A]).map(\.data) == ["a\u{FFFD}\u{FFFD}"])
  }

  @Test func whatTheEndCutsOffIsNoEvent() throws {
    #expect(try data("data: a\n\ndata: b\n") == ["a"])
    #expect(try data("data: a\n\ndata: b") == ["a"])
    #expect(try data("") == [])
  }

  @Test func eventIsCompleteWithTheCarriageReturn() throws {
    var parser = EventStreamParser(limit: 100)
    parser.refill(Data("data: a\r\n\r".utf8))
    #expect(try parser.nextEvent()?.data == "a")
    parser.refill(Data("\ndata: b\n\n".utf8))
    #expect(try parser.nextEvent()?.data == "b")
  }

  // MARK: fields

  @Test func namesAreCaseSensitiveAndExact() throws {
    #expect(try data("Data: a\nDATA: b\n data: c\ndata : d\ndat: e\ndata: f\n\n") == ["f"])
  }

  @Test func valueMayHaveColonsAndNulls() throws {
    #expect(try data("data: a:b\0c:\n\n") == ["a:b\0c:"])
  }

  @Test func commentsAreIgnored() throws {
    #expect(try data(":\n: keep-alive\n:data: a\n\n\ndata: b\n: c\ndata: d\n\n") == ["b\nd"])
  }

  @Test func typeIsTheLastOneOfTheEventAlone() throws {
    #expect(try events("event: a\nevent: b\ndata\n\ndata\n\nevent\ndata\n\n").map(\.type) == ["b", "", ""])
    // An event without data takes its type with it.
    #expect(try events("event: a\n\ndata\n\n").map(\.type) == [""])
  }

  @Test func idLastsUntilTheNextOne() throws {
    #expect(try events("id: 1\ndata\n\ndata\n\nid: 2\n\ndata\n\nid\ndata\n\n").map(\.id) == ["1", "1", "2", ""])
  }

  @Test func idWithNullIsIgnored() throws {
    #expect(try events("id: 1\n\nid: 2\0\ndata\n\n").map(\.id) == ["1"])
  }

  @Test func idCountsWithTheEndOfItsEvent() throws {
    var parser = EventStreamParser(lastEventID: "old", limit: 100)
    parser.refill(Data("id: 1\n".utf8))
    #expect(try parser.nextEvent() == nil)
    #expect(parser.lastEventID == "old")
    parser.refill(Data("\n".utf8))
    #expect(try parser.nextEvent() == nil)
    #expect(parser.lastEventID == "1")
  }

  @Test func idOfTheStreamBeforeIsKept() throws {
    var parser = EventStreamParser(lastEventID: "old", limit: 100)
    parser.refill(Data("data\n\n".utf8))
    #expect(try parser.nextEvent()?.id == "old")
  }

  @Test(
    arguments: [
      ("retry: 1500", 1500), ("retry:0", 0), ("retry: 00012", 12), ("retry: 99999999999999999999", .max), ("retry", nil), ("retry:", nil),
      ("retry: -1", nil), ("retry: +1", nil), ("retry: 1.5", nil), ("retry:  1", nil), ("retry: 1 ", nil), ("retry: ١", nil),
    ] as [(String, Int64?)])
  func retryIsDigitsAlone(line: String, expected: Int64?) throws {
    #expect(try events("\(line)\ndata\n\n").map(\.retry) == [expected])
  }

  @Test func retryCountsAtOnceAndTheEventTellsIts() throws {
    var parser = EventStreamParser(limit: 100)
    parser.refill(Data("retry: 5\n".utf8))
    #expect(try parser.nextEvent() == nil)
    #expect(parser.reconnectionTime == 5)
    #expect(try events("retry: 5\ndata\n\ndata\n\n").map(\.retry) == [5, nil])
  }

  // MARK: limits

  @Test(arguments: ["data: ", "", "event: ", "id: "]) func tooLongALineIsAnError(prefix: String) throws {
    let line = Array((prefix + String(repeating: "a", count: 200)).utf8)
    #expect(throws: EventStreamParser.TooLong.self) { try events([line[...]], 100) }
    #expect(throws: EventStreamParser.TooLong.self) { try events(line.indices.map { line[$0...$0] }, 100) }
  }

  @Test func manyLinesOfOneEventAreAnErrorToo() throws {
    let text = String(repeating: "data: 0123456789\n", count: 20)
    #expect(throws: EventStreamParser.TooLong.self) { try events([Array(text.utf8)[...]], 100) }
  }

  @Test func limitIsThatOfOneEvent() throws {
    let text = String(repeating: "data: \(String(repeating: "a", count: 99))\n\n", count: 20)
    #expect(try events(Array(text.utf8), limit: 100).count == 20)
  }

  @Test func longCommentsAreNoError() throws {
    let bytes = Array(":\(String(repeating: "a", count: 2000))\ndata: b\n\n".utf8)
    #expect(try events(bytes, limit: 100).map(\.data) == ["b"])
  }

  @Test func limitMayBeTheLargestNumber() throws {
    #expect(try events(Array("data: a\n\n".utf8), limit: .max).map(\.data) == ["a"])
  }
}
