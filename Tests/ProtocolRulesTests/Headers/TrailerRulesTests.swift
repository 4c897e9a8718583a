import Foundation
import LoadingModel
import ProtocolRules
import Testing

@Suite struct TrailerRulesTests {
  private static func parsed(_ text: String, pieces: Int = .max) -> (body: String, trailers: [HeaderFields.Entry], hasEnded: Bool) {
    var parser = ChunkedBodyParser()
    var (body, bytes, hasEnded) = ("", [UInt8](), false)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty, !hasEnded {
      bytes += rest.prefix(pieces)
      rest = rest.dropFirst(pieces)
      var isWaiting = false
      while !isWaiting, !hasEnded {
        switch bytes.withUnsafeBytes({ parser.consume($0) }) {
        case .incomplete(let consumed):
          bytes.removeFirst(consumed)
          isWaiting = true
        case .data(let skip, let count):
          body += String(decoding: bytes[skip..<skip + count], as: UTF8.self)
          bytes.removeFirst(skip + count)
        case .ended: hasEnded = true
        case .failed: return (body, [], false)
        }
      }
    }
    return (body, parser.trailers, hasEnded)
  }

  @Test(arguments: [1, 3, 1000]) func fieldsBehindChunksAreRead(_ pieces: Int) {
    let (body, trailers, hasEnded) = Self.parsed(
      "3\r\nabc\r\n0\r\nX-Sum: 42 \r\nx-empty:\r\nno field\r\n: x\r\n b: c\r\n\r\n", pieces: pieces)
    #expect(body == "abc" && hasEnded)
    #expect(trailers.map(\.name) == ["X-Sum", "x-empty"] && trailers.map(\.value) == ["42", ""])
    #expect(Self.parsed("0\r\n\r\n").trailers.isEmpty)
  }

  @Test(arguments: ["Content-Length", "transfer-encoding", "HOST", "Set-Cookie", "Authorization", "trailer", "Content-Type", "Vary"])
  func whatIsNeededBeforeTheBodyIsNoTrailer(_ name: String) throws {
    #expect(!TrailerRules.allows(name))
    #expect(TrailerRules.kept([(name, "1")]) == nil)
    #expect(throws: LoadError.self) { try TrailerRules.check(HeaderFields([(name, "1")])) }
  }

  @Test func othersAreKept() throws {
    #expect(TrailerRules.kept([]) == nil)
    #expect(TrailerRules.kept([("grpc-status", "0"), ("Host", "x"), ("Server-Timing", "a")])?.count == 2)
    try TrailerRules.check(HeaderFields([("grpc-status", "0"), ("ETag", "\"1\"")]))
  }

  @Test(arguments: [("a b", "1"), ("", "1"), ("a", "1\r\nb: 2"), ("a", "\0")]) func malformedFieldsAreRefused(
    _ name: String, _ value: String
  ) {
    #expect(throws: LoadError.self) { try TrailerRules.check(HeaderFields([(name, value)])) }
  }

  @Test func growthIsBounded() throws {
    var bounded = ContentGrowthRules(limit: 100)
    try bounded.take(decoded: 100)
    #expect(throws: LoadError.self) { try bounded.take(decoded: 1) }
    var unbounded = ContentGrowthRules(limit: nil)
    unbounded.received.take(1)
    try unbounded.take(decoded: 64 << 20)
    #expect(throws: LoadError.self) { try unbounded.take(decoded: 1 << 20) }
    // A coding in a coding: what counts is what was received.
    let received = ContentGrowthRules.Received()
    var (inner, outer) = (ContentGrowthRules(limit: nil, received), ContentGrowthRules(limit: nil, received))
    received.take(1000)
    try inner.take(decoded: 1_000_000)
    #expect(throws: LoadError.self) { try outer.take(decoded: 1_000_000_000) }
    // Gzip at its densest.
    var gzip = ContentGrowthRules(limit: nil)
    for _ in 0..<1000 {
      gzip.received.take(1 << 20)
      try gzip.take(decoded: 1032 << 20)
    }
  }
}
