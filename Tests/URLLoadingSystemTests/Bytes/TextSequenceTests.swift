import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct TextSequenceTests {
  private static let texts = [
    "", "plain", "Grüße, 世界", "e\u{301}\u{302}x", "🇩🇪🇫🇷🇯", "👩‍👩‍👧‍👦👍🏽!", "a\r\nb\n\rc", "\u{1100}\u{1161}\u{11A8}\u{11A8}", "\u{301}start",
    "ந\u{BBF}க\u{BCD}ஷ", "\0\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
  ]

  @Test(arguments: texts)
  func charactersAreThoseOfTheString(text: String) async throws {
    let bytes = Array(text.utf8)
    #expect(try await collect(SingleBytes(bytes: bytes).characters) == Array(text))
    for size in 1...5 {
      #expect(try await collect(PieceSequence(bytes: bytes, pieceSize: size).characters) == Array(text))
    }
  }

  @Test(arguments: texts)
  func scalarsAreThoseOfTheString(text: String) async throws {
    let bytes = Array(text.utf8)
    #expect(try await collect(SingleBytes(bytes: bytes).unicodeScalars) == Array(text.unicodeScalars))
    for size in 1...5 {
      #expect(try await collect(PieceSequence(bytes: bytes, pieceSize: size).unicodeScalars) == Array(text.unicodeScalars))
    }
  }

  @Test func illFormedBytesAreRepairedAsTheStandardLibraryDoes() {
    // Bytes at the edges of every row of Unicode's table of well-formed sequences.
    let edges: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5]
    var wrong: [[UInt8]] = []
    for first in edges {
      for second in edges {
        for third: UInt8 in [0x41, 0x80, 0xBF, 0xE2] {
          for fourth: UInt8 in [0x41, 0x80, 0xBF, 0xC2] {
            let bytes = [first, second, third, fourth]
            if decode(bytes) != Array(String(decoding: bytes, as: UTF8.self).unicodeScalars) { wrong.append(bytes) }
          }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  private func decode(_ bytes: [UInt8]) -> [Unicode.Scalar] {
    var decoder = ScalarDecoder()
    var scalars: [Unicode.Scalar] = []
    var index = 0
    while index < bytes.count {
      switch decoder.accept(bytes[index]) {
      case .needsMore: index += 1
      case .scalar(let scalar):
        scalars.append(scalar)
        index += 1
      case .replacementThenSameByte: scalars.append("\u{FFFD}")
      }
    }
    if let last = decoder.finish() { scalars.append(last) }
    return scalars
  }

  @Test func endlessCombiningMarksCostLinearTime() {
    var clusters = ClusterAssembler()
    #expect(clusters.accept("a") == nil)
    for _ in 0..<200_000 { #expect(clusters.accept("\u{301}") == nil) }
    #expect(clusters.accept("b")?.unicodeScalars.count == 200_001)
    #expect(clusters.finish() == "b")
  }

  @Test func errorOfTheBytesReachesTheReader() async {
    let sequence = PieceSequence(bytes: [0x61], pieceSize: 1, breaks: true)
    await #expect(throws: PieceSequence.Broken.self) { try await collect(sequence.unicodeScalars) }
    await #expect(throws: PieceSequence.Broken.self) { try await collect(sequence.characters) }
  }
}
