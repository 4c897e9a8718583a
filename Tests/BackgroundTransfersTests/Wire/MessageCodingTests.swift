import BackgroundTransfers
import Foundation
import MessageSamples
import Testing

@Suite(.timeLimit(.minutes(10))) struct MessageCodingTests {
  @Test(arguments: SampleMessages.app.indices) func messageOfAnAppIsTheSameAfterTheWire(_ index: Int) throws {
    let data = try MessageCoding.encode(SampleMessages.app[index])
    let decoded = try MessageCoding.decode(AppMessage.self, from: data)
    #expect(try Self.sorted(decoded) == Self.sorted(SampleMessages.app[index]))
  }

  @Test func infiniteTimeoutIsKept() throws {
    let terms = SessionTerms(
      app: .init(name: "a", data: "", caches: "", settings: ""), identifier: "", configuration: Data(), resourceTimeout: .infinity)
    #expect(try MessageCoding.decode(SessionTerms.self, from: MessageCoding.encode(terms)) == terms)
  }

  @Test(arguments: ["", "x", "{", "[]", "{}", "null", "\"list\"", "{\"resume\":{}}", "{\"resume\":{\"task\":1},\"suspend\":{\"task\":1}}"])
  func whatIsntAMessageIsRefused(_ text: String) {
    expectRefused(Data(text.utf8))
  }

  @Test func numberBeyondItsTypeIsRefused() {
    for number in ["9223372036854775808", "-9223372036854775809", "1e400", "1.5", "-"] {
      expectRefused(Data("{\"resume\":{\"task\":\(number)}}".utf8))
    }
  }

  @Test(arguments: [65, 100_000, 5_000_000]) func deepNestingIsRefused(_ depth: Int) {
    expectRefused(Data(repeating: UInt8(ascii: "["), count: depth))
    let unknown = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    if depth < 1_000_000 { expectRefused(Data("{\"resume\":{\"task\":1},\"x\":\(unknown)}".utf8)) }
  }

  @Test func bracketsInTextsAreNotNesting() throws {
    let path = String(repeating: "[{\"\\", count: 100)
    let message = AppMessage.change(task: 1, Self.change(path))
    guard case .change(_, let change) = try MessageCoding.decode(AppMessage.self, from: MessageCoding.encode(message)) else {
      Issue.record("another message")
      return
    }
    #expect(change.description == path)
  }

  @Test(arguments: [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32LittleEndian])
  func otherEncodingsAreRefused(_ encoding: String.Encoding) throws {
    expectRefused(try #require("{\"resume\":{\"task\":1}}".data(using: encoding)))
  }

  @Test func refusalShowsNoValues() {
    #expect {
      try MessageCoding.decode(AppMessage.self, from: Data("{\"answer\":{\"question\":\"secret\"}}".utf8))
    } throws: { error in
      guard let refusal = error as? Refusal else { return false }
      return refusal.reason == .badMessage && refusal.text.contains("answer.question") && !refusal.text.contains("secret")
    }
  }

  @Test func messageAboveTheLimitHasNoFrame() {
    #expect(MessageCoding.frame(Data(count: 13 << 20)) == nil)
    #expect(MessageCoding.frame(Data(count: 11 << 20)) != nil)
  }

  private func expectRefused(_ data: Data, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(sourceLocation: sourceLocation) {
      try MessageCoding.decode(AppMessage.self, from: data)
    } throws: {
      ($0 as? Refusal)?.reason == .badMessage
    }
  }

  private static func change(_ description: String) -> TransferChange {
    var change = TransferChange()
    change.description = description
    return change
  }

  private static func sorted(_ message: AppMessage) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(message)
  }
}
