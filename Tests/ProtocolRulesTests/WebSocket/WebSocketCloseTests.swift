import Foundation
import Testing

@testable import ProtocolRules

@Suite struct WebSocketCloseTests {
  private func read(_ payload: [UInt8]) throws -> WebSocketClose {
    try payload.withUnsafeBytes { try WebSocketClose(payload: $0) }
  }

  @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999] as [UInt16])
  func codesThatMayBeSentAreAccepted(code: UInt16) throws {
    #expect(try read([UInt8(code >> 8), UInt8(code & 0xFF)]).code == code)
  }

  @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] as [UInt16])
  func codesThatMustNotBeSentAreRefused(code: UInt16) {
    #expect(throws: WebSocketViolation(.protocolError, "sent a close frame with the code \(code), which must not be sent")) {
      try read([UInt8(code >> 8), UInt8(code & 0xFF)])
    }
  }

  @Test func anEmptyFrameHasNoCode() throws { #expect(try read([]).code == nil) }

  @Test func halfACodeIsRefused() { #expect(throws: WebSocketViolation.self) { try read([3]) } }

  @Test func aReasonMustBeText() throws {
    #expect(try read([0x03, 0xE8] + Array("bye".utf8)).reason == Array("bye".utf8))
    #expect(throws: WebSocketViolation(.invalidPayload, "sent a close frame whose reason isn't UTF-8")) { try read([0x03, 0xE8, 0xFF]) }
  }

  @Test func whatTheAppWantsIsMadeSuchThatItCanBeSent() {
    #expect(WebSocketClose(code: 1006, reason: Data("x".utf8)).payload.isEmpty)
    #expect(WebSocketClose(code: 70_000, reason: nil).payload.isEmpty)
    #expect(WebSocketClose(code: 4001, reason: Data("x".utf8)).payload == [0x0F, 0xA1, UInt8(ascii: "x")])
    #expect(WebSocketClose(code: 1000, reason: Data([0xFF])).payload == [0x03, 0xE8])
  }

  @Test func longReasonsAreCutBetweenCharacters() {
    #expect(WebSocketClose(code: 1000, reason: Data(String(repeating: "a", count: 123).utf8)).reason.count == 123)
    #expect(WebSocketClose(code: 1000, reason: Data(String(repeating: "a", count: 124).utf8)).reason.count == 123)
    #expect(WebSocketClose(code: 1000, reason: Data(String(repeating: "é", count: 62).utf8)).reason.count == 122)
    #expect(WebSocketClose(code: 1000, reason: Data(String(repeating: "😀", count: 500).utf8)).reason.count == 120)
  }
}
