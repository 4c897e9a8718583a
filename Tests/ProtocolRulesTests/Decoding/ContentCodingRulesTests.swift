import LoadingModel
import ProtocolRules
import Testing

struct ContentCodingRulesTests {
  @Test(
    arguments: [
      ([], .known([])), ([""], .known([])), (["gzip"], .known([.gzip])), (["x-gzip"], .known([.gzip])), (["GZip"], .known([.gzip])),
      (["deflate"], .known([.deflate])), (["br"], .known([.br])), (["zstd"], .known([.zstd])), (["identity"], .known([.identity])),
      (["gzip, br"], .known([.gzip, .br])), (["gzip", "br"], .known([.gzip, .br])), ([" gzip ,, deflate\t"], .known([.gzip, .deflate])),
      (["compress"], .unsupported), (["gzip, foo"], .unsupported), (["gzip;q=1"], .unsupported), (["aws-chunked"], .unsupported),
      (["gzip, gzip, gzip, gzip"], .known([.gzip, .gzip, .gzip, .gzip])), (["gzip, gzip, gzip, gzip, gzip"], .unsupported),
    ] as [([String], ContentCodingList)])
  func contentEncodingIsReadAsAList(values: [String], expected: ContentCodingList) {
    #expect(ContentCodingRules.parse(HeaderFields(values.map { ("content-encoding", $0) })) == expected)
  }

  @Test(
    arguments: [
      ("gzip", .decode([.gzip])), ("gzip, br", .decode([.br, .gzip])), ("identity, gzip", .decode([.gzip])), ("identity", .passThrough),
      ("", .passThrough), ("foo", .passThrough), ("gzip, foo", .passThrough), ("zstd", .passThrough),
    ] as [(String, DecodingDecision)])
  func lastCodingIsRemovedFirst(value: String, expected: DecodingDecision) {
    #expect(decide(value) == expected)
  }

  @Test func responsesWithoutABodyAreNotDecoded() {
    #expect(decide("gzip", framing: .none) == .passThrough)
    #expect(decide("gzip", framing: .length(0)) == .passThrough)
  }

  @Test func partialContentIsNotDecoded() {
    #expect(decide("gzip", status: 206) == .passThrough)
  }

  @Test func lengthIsUnknownOnceDecoded() {
    let head = head("gzip")
    #expect(ContentCodingRules.expectedLength(head: head, framing: .length(9), decision: .decode([.gzip])) == -1)
    #expect(ContentCodingRules.expectedLength(head: head, framing: .length(9), decision: .passThrough) == 9)
    #expect(ContentCodingRules.expectedLength(head: head, framing: .chunked, decision: .passThrough) == -1)
    #expect(ContentCodingRules.expectedLength(head: head, framing: .untilClose, decision: .passThrough) == -1)
  }

  @Test func headKeepsTheAnnouncedLength() {
    let announcing = ResponseHead(status: 200, headers: HeaderFields([("content-length", " 12 ")]))
    #expect(ContentCodingRules.expectedLength(head: announcing, framing: .none, decision: .passThrough) == 12)
    #expect(ContentCodingRules.expectedLength(head: head("gzip"), framing: .none, decision: .passThrough) == -1)
  }

  private func head(_ encoding: String, status: Int = 200) -> ResponseHead {
    ResponseHead(status: status, headers: HeaderFields([("Content-Encoding", encoding)]))
  }

  private func decide(_ encoding: String, status: Int = 200, framing: ResponseBodyFraming = .chunked) -> DecodingDecision {
    ContentCodingRules.decide(head: head(encoding, status: status), framing: framing, decoders: [.gzip, .deflate, .brotli])
  }
}
