import Foundation
import Testing
import URLLoadingTestKit

@Suite struct WebSocketFrameTests {
  @Test(
    arguments: [
      (0, [0x82, 0]), (125, [0x82, 125]), (126, [0x82, 126, 0, 126]), (65535, [0x82, 126, 0xFF, 0xFF]),
      (65536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] as [(Int, [UInt8])])
  func lengthTakesTheFewestBytes(length: Int, header: [UInt8]) {
    let payload = Data(repeating: 7, count: length)
    #expect(WebSocketService.Frame.binary(payload).bytes == Data(header) + payload)
  }

  @Test func illegalBitsAreWrittenAsTheyAre() {
    #expect(WebSocketService.Frame(firstByte: 0xF3).bytes == Data([0xF3, 0]))
    #expect(WebSocketService.Frame(firstByte: 0x09, payload: Data("a".utf8)).bytes == Data([0x09, 1, 0x61]))
    #expect(WebSocketService.Frame(firstByte: 0x81, payload: Data("a".utf8), isMasked: true).bytes == Data([0x81, 0x81, 0, 0, 0, 0, 0x61]))
  }
}
