import ProtocolRules
import Testing

struct ByteRangeRulesTests {
  @Test(
    arguments: [
      ("bytes=0-499", .part(0..<500)), ("bytes=500-999", .part(500..<1000)), ("bytes=-500", .part(500..<1000)),
      ("bytes=900-", .part(900..<1000)), ("bytes=0-0", .part(0..<1)), ("bytes=-1", .part(999..<1000)), ("bytes=0-", .part(0..<1000)),
      ("bytes=-5000", .part(0..<1000)), ("bytes=999-5000", .part(999..<1000)), ("bytes=0-99999999999999999999", .part(0..<1000)),
      (" BYTES = 1-2 ", .part(1..<3)),
      ("bytes=1000-", .unsatisfiable), ("bytes=1000-2000", .unsatisfiable), ("bytes=-0", .unsatisfiable),
      ("bytes=99999999999999999999-", .unsatisfiable),
      (nil, .whole), ("", .whole), ("bytes", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=5-4", .whole), ("bytes=a-b", .whole),
      ("bytes=1", .whole), ("bytes=1-2-3", .whole), ("bytes=--1", .whole), ("bytes=+1-2", .whole), ("bytes=0-1,5-6", .whole),
      ("items=0-1", .whole), ("bytes=1 - 2", .whole),
    ] as [(String?, ByteRangeDecision)])
  func rangeOfAThousandBytes(value: String?, expected: ByteRangeDecision) {
    #expect(ByteRangeRules.decide(value, length: 1000) == expected)
  }

  @Test func emptyResourceSatisfiesNoRange() {
    #expect(ByteRangeRules.decide("bytes=0-", length: 0) == .unsatisfiable)
    #expect(ByteRangeRules.decide("bytes=-5", length: 0) == .unsatisfiable)
    #expect(ByteRangeRules.decide(nil, length: 0) == .whole)
  }

  @Test(
    arguments: [
      ("bytes 0-499/1234", .part(range: 0..<500, total: 1234)), ("bytes 42-42/*", .part(range: 42..<43, total: nil)),
      ("bytes */1234", .unsatisfied(total: 1234)), ("Bytes  0-0/1 ", .part(range: 0..<1, total: 1)), ("bytes */0", .unsatisfied(total: 0)),
      ("bytes 9223372036854775806-9223372036854775806/*", .part(range: .max - 1 ..< .max, total: nil)),
    ] as [(String, ContentRange)])
  func contentRangeIsRead(text: String, expected: ContentRange) {
    #expect(ContentRange(text) == expected)
    #expect(ContentRange(expected.serialized) == expected)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes 0-1", "bytes 0/1", "bytes 5-4/10", "bytes 0-10/10", "bytes */*", "bytes -1/5", "bytes 1-/5",
    "items 0-1/2", "bytes=0-1/2", "bytes a-b/c", "bytes 0-1/2/3", "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*",
  ])
  func invalidContentRangeIsRefused(text: String) {
    #expect(ContentRange(text) == nil)
  }

  @Test func contentRangeIsWrittenAsRFC9110Says() {
    #expect(ContentRange.part(range: 0..<500, total: 1234).serialized == "bytes 0-499/1234")
    #expect(ContentRange.part(range: 1..<2, total: nil).serialized == "bytes 1-1/*")
    #expect(ContentRange.unsatisfied(total: 7).serialized == "bytes */7")
  }
}
