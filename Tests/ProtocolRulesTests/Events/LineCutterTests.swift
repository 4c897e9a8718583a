import Foundation
import ProtocolRules
import Testing

struct LineCutterTests {
  /// The lines of `text`, which must be the same in pieces of every size.
  private func lines(_ text: String, limit: Int = 100) throws -> [String] {
    let bytes = Data(text.utf8)
    let expected = try lines([bytes], limit)
    for size in 1...max(1, bytes.count) {
      let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
      #expect(try lines(pieces, limit) == expected)
    }
    return expected
  }

  private func lines(_ pieces: [Data], _ limit: Int) throws -> [String] {
    var cutter = LineCutter(limit: limit)
    var lines: [LineCutter.Line] = []
    for piece in pieces {
      cutter.refill(piece)
      while let line = try cutter.nextLine() { lines.append(line) }
    }
    if let line = try cutter.finish() { lines.append(line) }
    return lines.map { "\($0.number) \(String(decoding: $0.content, as: UTF8.self))" }
  }

  @Test func linesAreNumbered() throws {
    #expect(try lines("a\nb\r\nc") == ["1 a", "2 b", "3 c"])
  }

  @Test func emptyLinesAreLeftOutAndCounted() throws {
    #expect(try lines("\na\n\r\n \t\nb\n\n") == ["2 a", "5 b"])
    #expect(try lines("") == [])
    #expect(try lines("\n") == [])
  }

  @Test func carriageReturnAloneIsNoEnd() throws {
    #expect(try lines("a\rb\n") == ["1 a\rb"])
  }

  @Test func byteOrderMarkIsLeftOut() throws {
    #expect(try lines("\u{FEFF}a\n\u{FEFF}b") == ["1 a", "2 \u{FEFF}b"])
  }

  @Test func limitCountsTheLineAlone() throws {
    #expect(try lines("12345\r\n12345\n12345", limit: 5) == ["1 12345", "2 12345", "3 12345"])
  }

  @Test func tooLongALineIsAnErrorThatNamesIt() throws {
    for pieces in [[Data("a\n123456\n".utf8)], [Data("a\n123".utf8), Data("456".utf8), Data("7".utf8)], [Data("a\n123456".utf8)]] {
      let error = #expect(throws: LineCutter.TooLong.self) { try lines(pieces, 5) }
      #expect(error?.line == 2)
    }
  }

  @Test func limitMayBeTheLargestNumber() throws {
    #expect(try lines("a\nbc", limit: .max) == ["1 a", "2 bc"])
  }
}
