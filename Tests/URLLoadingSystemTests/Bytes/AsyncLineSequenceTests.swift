import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct AsyncLineSequenceTests {
  /// The lines of `text`, which must be the same byte by byte and in pieces of every size.
  private func lines(_ bytes: [UInt8]) async throws -> [String] {
    let expected = try await collect(SingleBytes(bytes: bytes).lines)
    for size in 1...max(1, bytes.count) {
      #expect(try await collect(PieceSequence(bytes: bytes, pieceSize: size).lines) == expected)
    }
    return expected
  }

  private func lines(_ text: String) async throws -> [String] { try await lines(Array(text.utf8)) }

  @Test(arguments: ["\n", "\r", "\r\n", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}"])
  func everyTerminatorEndsALine(terminator: String) async throws {
    #expect(try await lines("one\(terminator)two\(terminator)") == ["one", "two"])
  }

  @Test func emptyLinesAreLeftOut() async throws {
    #expect(try await lines("\n\nevent: a\n\n\r\n\r\rdata: b\n\n") == ["event: a", "data: b"])
  }

  @Test func spacesMakeALineThatCounts() async throws {
    #expect(try await lines("a\n \nb") == ["a", " ", "b"])
  }

  @Test func lastLineNeedsNoTerminator() async throws {
    #expect(try await lines("one\ntwo") == ["one", "two"])
  }

  @Test func emptyInputHasNoLines() async throws {
    #expect(try await lines("") == [])
    #expect(try await lines("\r\n") == [])
  }

  @Test func lookalikesOfTerminatorsStayText() async throws {
    // U+0145 ends in 85, U+2026 starts with E2 80, U+30A8 ends in A8, U+00A9 in A9.
    #expect(try await lines("\u{145}…\u{30A8}\u{A9}\u{2027}\n€\u{A8}") == ["\u{145}…\u{30A8}\u{A9}\u{2027}", "€\u{A8}"])
  }

  @Test func illFormedBytesAreRepaired() async throws {
    #expect(try await lines([0x61, 0xFF, 0x0A, 0xC2, 0x0A, 0xE2, 0x80]) == ["a\u{FFFD}", "\u{FFFD}", "\u{FFFD}"])
    #expect(try await lines([0x85, 0x0A, 0xA8, 0x80, 0xA9]) == ["\u{FFFD}", "\u{FFFD}\u{FFFD}\u{FFFD}"])
  }

  /// Lines of bytes drawn by chance, among them parts of terminators, at every place in a word of eight bytes.
  @Test func linesAreThoseOfAReaderOfSingleBytes() async throws {
    let bytes: [UInt8] = [0x09, 0x0A, 0x0D, 0x0E, 0x61, 0x7F, 0x80, 0x84, 0x85, 0x86, 0xA7, 0xA8, 0xA9, 0xAA, 0xC2, 0xE2, 0xFF]
    for count in 0..<200 {
      let rare = count.isMultiple(of: 2)
      let text = (0..<count).map { _ in rare && Int.random(in: 0..<8) > 0 ? 0x61 : bytes.randomElement() ?? 0x61 }
      let expected = try await collect(SingleBytes(bytes: text).lines)
      for size in [1, 2, 3, 7, 8, 9, 64, 1000] {
        #expect(try await collect(PieceSequence(bytes: text, pieceSize: size).lines) == expected, "\(text)")
      }
    }
  }

  /// Bytes arrive where the reader is, and the reader stays there.
  @Test func readersStayOnTheirActor() async throws {
    actor Reader {
      func read() async throws -> (lines: Int, bytes: Int) {
        var (lines, bytes) = (0, 0)
        for try await _ in PieceSequence(bytes: Array("one\ntwo\nthree".utf8), pieceSize: 2).lines {
          self.assertIsolated()
          lines += 1
        }
        var iterator = PieceSequence(bytes: Array("one".utf8), pieceSize: 2).unicodeScalars.makeAsyncIterator()
        while try await iterator.next() != nil {
          self.assertIsolated()
          bytes += 1
        }
        return (lines, bytes)
      }
    }
    let counts = try await Reader().read()
    #expect(counts == (3, 3))
  }

  @Test func nullBytesStayInTheLine() async throws {
    #expect(try await lines("a\0b\n\0") == ["a\0b", "\0"])
  }

  @Test func longLineAcrossManyPiecesStaysWhole() async throws {
    let long = String(repeating: "é", count: 100_000)
    let sequence = PieceSequence(bytes: Array("\(long)\nend".utf8), pieceSize: 4_097)
    #expect(try await collect(sequence.lines) == [long, "end"])
  }

  @Test func errorOfTheBytesEndsTheLinesAndDropsTheBegunLine() async throws {
    var iterator = PieceSequence(bytes: Array("whole\nbroke".utf8), pieceSize: 3, breaks: true).lines.makeAsyncIterator()
    #expect(try await iterator.next() == "whole")
    await #expect(throws: PieceSequence.Broken.self) { try await iterator.next() }
  }

  @Test func linesOfBytesThatNeverThrowNeverThrow() async {
    var found: [String] = []
    for await line in SingleBytes(bytes: Array("a\nb".utf8)).lines { found.append(line) }
    #expect(found == ["a", "b"])
  }

  @Test func linesOfSendableBytesAreSendable() {
    func requireSendable(_: some Sendable) {}
    let sequence = PieceSequence(bytes: [], pieceSize: 1)
    requireSendable(sequence.lines)
    requireSendable(sequence.lines.makeAsyncIterator())
    requireSendable(sequence.characters.makeAsyncIterator())
    requireSendable(sequence.unicodeScalars.makeAsyncIterator())
  }

  @MainActor @Test func linesAreReadableOnAnActor() async throws {
    var found: [String] = []
    for try await line in PieceSequence(bytes: Array("a\nb\n".utf8), pieceSize: 1).lines { found.append(line) }
    #expect(found == ["a", "b"])
  }
}
