import Testing

@testable import ProtocolRules

@Suite struct UTF8ValidatorTests {
  private func isText(_ bytes: [UInt8], in size: Int) -> Bool {
    var validator = UTF8Validator()
    var index = 0
    while index < bytes.count {
      let end = min(index + size, bytes.count)
      let accepted = bytes[index..<end].withUnsafeBytes { validator.accepts($0) }
      guard accepted else { return false }
      index = end
    }
    return validator.isAtBoundary
  }

  @Test(arguments: [
    "", "ASCII only, long enough for words of eight", "κόσμε", "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}", "a\u{D7FF}\u{E000}",
  ])
  func textIsAcceptedHoweverItIsCut(text: String) {
    for size in 1...9 { #expect(isText(Array(text.utf8), in: size)) }
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC2, 0x20], [0xE2, 0x82, 0x20], [0x61, 0xC3],
      [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func whatIsNoTextIsRefusedHoweverItIsCut(bytes: [UInt8]) {
    for size in 1...4 { #expect(!isText(bytes, in: size)) }
  }

  @Test func wrongBytesAreNoticedBeforeTheCharacterIsComplete() {
    var validator = UTF8Validator()
    #expect(![UInt8(0xF4), 0x90].withUnsafeBytes { validator.accepts($0) })
  }

  @Test func itAgreesWithTheStandardLibraryOnEveryPairOfBytes() {
    for first in UInt8.min ... .max {
      for second in UInt8.min ... .max {
        let bytes = [UInt8(ascii: "a"), first, second]
        #expect(isText(bytes, in: 3) == (String(validating: bytes, as: UTF8.self) != nil))
      }
    }
  }
}
