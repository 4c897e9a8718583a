import LoadingModel
import Testing

@testable import ProtocolRules

@Suite struct ChunkedBodyParserTests {
  private enum Result: Equatable {
    case ended(body: String, rest: Int)
    case incomplete(body: String)
    case failed
  }

  private func parse(_ text: String, step: Int = .max) -> Result {
    var parser = ChunkedBodyParser()
    var unread: [UInt8] = []
    var body: [UInt8] = []
    let bytes = Array(text.utf8)
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, step == .max ? bytes.count : position + step)
      unread += bytes[position..<end]
      position = end
      loop: while true {
        switch unread.withUnsafeBytes({ parser.consume($0) }) {
        case .incomplete(let consumed):
          unread.removeFirst(consumed)
          break loop
        case .data(let skip, let count):
          body += unread[skip..<(skip + count)]
          unread.removeFirst(skip + count)
        case .ended(let consumed):
          return .ended(body: String(decoding: body, as: UTF8.self), rest: unread.count - consumed + bytes.count - position)
        case .failed(let error):
          #expect(error.kind == .cannotParseResponse)
          return .failed
        }
      }
    }
    return .incomplete(body: String(decoding: body, as: UTF8.self))
  }

  @Test(arguments: [Int.max, 1, 3]) func chunksAreTakenApartWhateverThePieces(_ step: Int) {
    #expect(parse("5\r\nhello\r\n6;a=\"b\"\r\n world\r\n0\r\n\r\nX", step: step) == .ended(body: "hello world", rest: 1))
    #expect(parse("b  \r\nhello world\r\n000;x\r\nT: 1\r\nU: 2\r\n\r\n", step: step) == .ended(body: "hello world", rest: 0))
    #expect(parse("5\nhello\n0\n\n", step: step) == .ended(body: "hello", rest: 0))
    #expect(parse("5\r\nhel", step: step) == .incomplete(body: "hel"))
  }

  @Test(
    arguments: [
      "zz\r\n", "\r\n", "-5\r\nhello", "5\r\nhello0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n", "8000000000000000\r\n", "5 x\r\nhello",
      "5 \u{7F}\r\nhello",
      "0x5\r\nhello", "0\r\nT: a\u{0}b\r\n\r\n", "0\r\nT: a\rb\r\n\r\n", "0\r\n\u{0}\r\n\r\n",
    ], [Int.max, 1])
  func malformedFramingIsAnError(_ text: String, _ step: Int) {
    #expect(parse(text, step: step) == .failed)
  }

  @Test func everyBoundHolds() {
    #expect(parse("5;" + String(repeating: "x", count: 20_000)) == .failed)
    #expect(parse("0\r\n" + String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 200)) == .failed)
    #expect(parse(String(repeating: "1;\(String(repeating: "x", count: 1000))\r\ny\r\n", count: 17)) == .failed)
    #expect(parse("7FFFFFFFFFFFFFFF\r\nx") == .incomplete(body: "x"))
  }
}
