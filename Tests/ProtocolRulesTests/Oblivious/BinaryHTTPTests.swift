import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

struct BinaryHTTPTests {
  private static func text(_ text: String) -> Data { Data([UInt8(text.utf8.count)]) + Data(text.utf8) }

  private static func section(_ fields: [(String, String)]) -> Data {
    let lines = fields.reduce(Data()) { $0 + text($1.0) + text($1.1) }
    return Data([UInt8(lines.count)]) + lines
  }

  @Test func requestHasItsParts() throws {
    let target = try #require(Target(URL(string: "https://www.example.com/hello.txt?q")))
    let message = BinaryHTTP.request(method: "GET", target, HeaderFields([("User-Agent", "t/1")]), body: Data("b".utf8))
    let expected =
      Data([0]) + Self.text("GET") + Self.text("https") + Self.text("www.example.com") + Self.text("/hello.txt?q")
      + Self.section([("user-agent", "t/1")]) + Self.text("b") + Data([0])
    #expect(message == expected)
  }

  @Test func responseOfKnownLengthIsRead() throws {
    var message = Data([1, 0x40, 102]) + Self.section([("running", "\"sleep 15\"")])
    message += Data([0x40, 200]) + Self.section([("date", "today"), ("a", "")])
    message += Self.text("content") + Self.section([("checksum", "1")]) + Data(count: 10)
    let response = try BinaryHTTP.response(message)
    #expect(response.head.status == 200)
    #expect(response.head.headers.entries.map(\.name) == ["date", "a"])
    #expect(response.content == Data("content".utf8))
    #expect(response.trailers.first("checksum") == "1")
  }

  @Test func responseOfUnknownLengthIsRead() throws {
    var message = Data([3, 0x40, 200]) + Self.text("a") + Self.text("1") + Data([0])
    message += Self.text("con") + Self.text("tent") + Data([0])
    message += Self.text("t") + Self.text("2") + Data([0])
    let response = try BinaryHTTP.response(message)
    #expect(response.head.headers.first("a") == "1")
    #expect(response.content == Data("content".utf8))
    #expect(response.trailers.first("t") == "2")
  }

  /// RFC 9292, 3.8: what is empty at the end may be left out.
  @Test func endMayBeLeftOut() throws {
    for message in [
      Data([1, 0x40, 204]), Data([1, 0x40, 204, 0]), Data([1, 0x40, 204, 0, 0]), Data([3, 0x40, 204, 0]), Data([3, 0x40, 204, 0, 0]),
    ] {
      let response = try BinaryHTTP.response(message)
      #expect(response.head.status == 204 && response.content.isEmpty && response.trailers.isEmpty)
    }
  }

  @Test func otherMessagesAreRefused() throws {
    let whole = Data([1, 0x40, 200]) + Self.section([("date", "today")]) + Self.text("content") + Self.section([("t", "1")])
    for length in 0..<whole.count {
      // Cut behind the status, the head or the content it is a shorter message.
      let trailers = Self.section([("t", "1")]).count
      if [3, whole.count - trailers - 8, whole.count - trailers].contains(length) { continue }
      #expect(throws: LoadError.self, "\(length)") { try BinaryHTTP.response(whole.prefix(length)) }
    }
    let bad: [Data] = [
      Data([0]) + whole.dropFirst(), Data([2, 0]), Data([1, 0x40, 99, 0]), Data([1, 0x42, 0x58, 0]), Data([1, 0x40, 101, 0, 0x40, 200, 0]),
      whole + Data([1]), Data([1, 0x40, 200]) + Self.section([("a b", "1")]), Data([1, 0x40, 200]) + Self.section([(":status", "200")]),
      Data([1, 0x40, 200]) + Self.section([("a", "1\r\nb: 2")]), Data([1, 0x40, 200]) + Self.section([("", "1")]),
      Data([1, 0x40, 200, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ]
    for message in bad { #expect(throws: LoadError.self, "\([UInt8](message))") { try BinaryHTTP.response(message) } }
  }
}
