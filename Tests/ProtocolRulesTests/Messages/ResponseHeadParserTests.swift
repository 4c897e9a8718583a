import LoadingModel
import Testing

@testable import ProtocolRules

@Suite struct ResponseHeadParserTests {
  /// Feeds `text` in pieces of `step` bytes, keeping what isn't taken, as a connection does.
  private func parse(_ bytes: [UInt8], step: Int = .max) -> (outcome: ResponseHeadParser.Outcome, rest: Int, length: Int) {
    var parser = ResponseHeadParser()
    var unread: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, step == .max ? bytes.count : position + step)
      unread += bytes[position..<end]
      position = end
      var consumed = 0
      let outcome = unread.withUnsafeBytes { parser.consume($0, &consumed) }
      unread.removeFirst(consumed)
      if case .incomplete = outcome { continue }
      return (outcome, unread.count + bytes.count - position, parser.length)
    }
    return (.incomplete, unread.count, parser.length)
  }

  private func head(_ text: String, step: Int = .max) -> ResponseHead? {
    if case .complete(let head) = parse(Array(text.utf8), step: step).outcome { head } else { nil }
  }

  private func error(_ text: String, step: Int = .max) -> LoadError? {
    if case .failed(let error) = parse(Array(text.utf8), step: step).outcome { error } else { nil }
  }

  @Test(arguments: [Int.max, 1, 2, 7]) func headIsReadWhateverThePieces(_ step: Int) throws {
    let text = "HTTP/1.1 404 Not There\r\nServer: x\r\nX-Empty:\r\nx-two: \t a b \t\r\n\r\n"
    let parsed = self.head(text, step: step)
    let head = try #require(parsed)
    #expect(head.status == 404)
    #expect(head.reason == "Not There")
    #expect(head.version == "HTTP/1.1")
    #expect(head.headers == HeaderFields([("Server", "x"), ("X-Empty", ""), ("x-two", "a b")]))
  }

  @Test func lengthAndRestAreExact() {
    let head = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"
    let result = parse(Array((head + "body").utf8))
    #expect(result.length == head.utf8.count)
    #expect(result.rest == 4)
  }

  @Test func whatRFC9112TellsAUserAgentToBearIsBorne() {
    #expect(head("HTTP/1.1 200\r\n\r\n")?.reason == "")
    #expect(head("HTTP/1.1 200 \r\n\r\n")?.status == 200)
    #expect(head("\r\nHTTP/1.0 200 OK\r\n\r\n")?.version == "HTTP/1.0")
    #expect(head("HTTP/1.9 200 OK\r\n\r\n")?.version == "HTTP/1.1")
    #expect(head("HTTP/1.1 200 OK\nA: b\n\n")?.headers.first("a") == "b")
    #expect(head("HTTP/1.1 200 OK\r\nA: b\r\n\t c\r\n  \r\n d\r\nE: f\r\n\r\n")?.headers == HeaderFields([("A", "b c d"), ("E", "f")]))
  }

  /// RFC 9110, 5.5: a recipient may keep them; browsers and curl do.
  @Test func otherControlCharactersAreKept() {
    for control in Array(1...8) + [11, 12] + Array(14...31) + [127] {
      let text = "a\(UnicodeScalar(UInt8(control)))b"
      #expect(head("HTTP/1.1 200 OK\r\nA: \(text)\r\n\r\n")?.headers.first("A") == text, "\(control)")
    }
  }

  @Test func valuesAreUTF8OrElseLatin1() {
    #expect(head("HTTP/1.1 200 OK\r\nA: café\r\n\r\n")?.headers.first("A") == "café")
    let latin = Array("HTTP/1.1 200 OK\r\nA: caf".utf8) + [0xE9, 0x0D, 0x0A, 0x0D, 0x0A]
    guard case .complete(let head) = parse(latin).outcome else { return #expect(Bool(false), "not parsed") }
    #expect(head.headers.first("A") == "café")
  }

  @Test(
    arguments: [
      "SSH-2.0-OpenSSH_9.6\r\n", "S", "\0\0\0\0", "HTTP/2 200 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 OK\r\n", "HTTP/1.1 099 X\r\n",
      "HTTP/1.1  200 OK\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n", "HTTP/1.1 200 OK\r\n: x\r\n", "HTTP/1.1 200 OK\r\nA : x\r\n",
      "HTTP/1.1 200 OK\r\nA: x\0y\r\n", "HTTP/1.1 200 OK\r\nA: x\ry\r\n", "HTTP/1.1 200 OK\rA: b\r\n\r\n",
      "HTTP/1.1 200 O\0K\r\n", "HTTP/1.1 200 OK\r\n fold\r\n", "\r\n\r\n\r\n\r\n\r\n\r\n",
    ], [Int.max, 1])
  func whatTheGrammarForbidsIsAnError(_ text: String, _ step: Int) {
    #expect(error(text, step: step)?.kind == .cannotParseResponse)
  }

  @Test func everyBoundHolds() {
    let start = "HTTP/1.1 200 OK\r\n"
    #expect(error(start + "A: " + String(repeating: "x", count: ResponseHeadParser.lineLimit))?.kind == .cannotParseResponse)
    #expect(error(start + String(repeating: "A: \(String(repeating: "x", count: 1000))\r\n", count: 300))?.kind == .cannotParseResponse)
    #expect(error(start + String(repeating: "A:\r\n", count: ResponseHeadParser.fieldLimit + 1))?.kind == .cannotParseResponse)
    #expect(
      error(start + "A: b\r\n" + String(repeating: " \(String(repeating: "x", count: 60_000))\r\n", count: 4))?.kind == .cannotParseResponse
    )
    #expect(head(start + String(repeating: "A:\r\n", count: ResponseHeadParser.fieldLimit) + "\r\n") != nil)
  }

  /// Any single byte of a good head replaced by any other: no outcome but a head, an error or a wait, and no byte counted twice.
  @Test func changedBytesAreTakenOrRefused() {
    let good = Array("HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n".utf8)
    for index in good.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = good
        changed[index] = byte
        let result = parse(changed, step: 5)
        #expect(result.length + result.rest <= good.count)
      }
    }
  }

  /// Heads that one connection brings, one after the other, are those that it would bring alone.
  @Test func headsReadOneAfterTheOtherAreThoseReadAlone() throws {
    let policy = "default-src 'self'; img-src *"
    let heads =
      [
        "HTTP/1.1 200 OK\r\nServer: one\r\nContent-Security-Policy: \(policy)\r\nDate: Thu, 26 Nov 2026 08:51:16 GMT\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: one\r\nContent-Security-Policy: \(policy)\r\nDate: Thu, 26 Nov 2026 08:51:17 GMT\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload; as=style\r\n\r\n",
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=a longer value than fits\r\nSet-Cookie: b=another of the same\r\nServer: one\r\n\r\n",
        "HTTP/1.1 200 OK\r\nSet-Cookie: b=another of the same\r\nSet-Cookie: a=a longer value than fits\r\nserver: one\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Security-Policy:\r\nX-Folded: a value that is so long\r\n  that it is folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Folded: a value that is so long\r\nContent-Security-Policy: \(policy)\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: one\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: one\r\n and two\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nServer: one\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Folded: a value that is so long that it is folded\r\n\r\n",
      ].map { Array($0.utf8) } + [Array("HTTP/1.1 200 OK\r\nX: caf".utf8) + [0xE9] + Array(" au lait, toujours\r\n\r\n".utf8)]
    var parser = ResponseHeadParser()
    // Each behind each, itself included.
    for head in heads.flatMap({ first in heads.flatMap { [first, $0] } }) {
      parser.beginAgain()
      var consumed = 0
      guard case .complete(let read) = head.withUnsafeBytes({ parser.consume($0, &consumed) }),
        case .complete(let alone) = parse(head).outcome
      else {
        Issue.record("the head isn't read: \(String(decoding: head, as: UTF8.self))")
        continue
      }
      #expect(consumed == head.count)
      #expect(parser.length == head.count)
      #expect(read.headers == alone.headers)
      #expect(read.status == alone.status)
      #expect(read.reason == alone.reason)
    }
  }
}
