import LoadingModel
import Testing

@testable import HTTPTransport

/// Examples of RFC 7541, appendix C, and what must not pass.
@Suite(.timeLimit(.minutes(10))) struct HPACKTests {
  private func section(_ decoder: inout HPACKDecoder, _ hex: String) throws -> FieldSection {
    var section = FieldSection()
    try bytes(hex).withUnsafeBytes { try decoder.decode($0, into: &section) }
    return section
  }

  private func text(_ section: FieldSection) -> [String] { section.fields.map { "\($0.name): \($0.value)" } }

  @Test(arguments: [
    "4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d",
    "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3",
  ])
  func responsesOfTheAppendixDecode(first: String) throws {
    let isHuffman = first.hasPrefix("4882")
    var decoder = HPACKDecoder()
    // C.5 and C.6 presume a table of 256 bytes, which is announced first.
    var section = try section(&decoder, "3fe101" + first)
    #expect(section.status == 302)
    #expect(
      text(section) == [
        "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT", "location: https://www.example.com",
      ])
    section = try self.section(&decoder, isHuffman ? "4883640effc1c0bf" : "4803333037c1c0bf")
    #expect(section.status == 307)
    #expect(
      text(section) == [
        "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT", "location: https://www.example.com",
      ])
    section = try self.section(
      &decoder,
      isHuffman
        ? "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007"
        : "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31"
    )
    #expect(section.status == 200)
    #expect(
      text(section) == [
        "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT", "location: https://www.example.com", "content-encoding: gzip",
        "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
      ])
  }

  @Test(arguments: [
    ("80", "index zero"), ("be", "an index beyond the table"), ("ff8080808001", "an integer without end"),
    ("7fffffffff7f", "an integer that overflows"), ("40", "a literal without a name"), ("400a61", "a string longer than the block"),
    ("4001", "a string without a value"), ("00018001", "too short a value"), ("4084ffffffff00", "the end of a string in Huffman code"),
    ("408101810000", "padding that isn't ones"), ("3fe21f", "a table larger than allowed"), ("883fe101", "a table limit behind fields"),
    ("202020", "three table limits"), ("7e00", "a name beyond the table"),
  ])
  func corruptSectionsAreRefused(hex: String, what: String) {
    var decoder = HPACKDecoder()
    #expect(throws: HPACKDecoder.Corruption.self, "\(what)") { try section(&decoder, hex) }
  }

  @Test func fieldsThatDoNotBelongAreFlaws() throws {
    func flaw(_ fields: [(String, String)]) -> FieldSection.Flaw? {
      var section = FieldSection()
      for (name, value) in fields { section.add(HPACKField(name: name, value: value)) }
      return section.flaw
    }
    #expect(flaw([(":status", "200"), ("a", "b")]) == nil)
    #expect(flaw([(":status", "200"), (":status", "200")]) == .pseudoField)
    #expect(flaw([(":status", "20")]) == .pseudoField)
    #expect(flaw([(":status", "+20")]) == .pseudoField)
    #expect(flaw([(":status", "099")]) == .pseudoField)
    #expect(flaw([(":path", "/")]) == .pseudoField)
    #expect(flaw([("a", "b"), (":status", "200")]) == .pseudoFieldAfterOthers)
    for name in ["", "A", "a b", "a\u{0}", "ä", "a:"] { #expect(flaw([(name, "b")]) == .malformedField, "\(name)") }
    for value in [" b", "b ", "\tb", "b\t", "b\nc", "b\r", "b\u{0}c"] { #expect(flaw([("a", value)]) == .malformedField) }
    // RFC 9113, 8.2.1, forbids no others.
    for value in ["b\u{7F}", "b\u{1}c", "b\tc"] { #expect(flaw([("a", value)]) == nil) }
    for name in ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"] {
      #expect(flaw([(name, "x")]) == .connectionSpecificField)
    }
  }

  @Test func bombOfReferencesIsCountedAndNotKept() throws {
    var decoder = HPACKDecoder()
    // One field of nearly the whole table, then a reference to it per byte: 64 KiB that decode to 256 MiB.
    let name = [UInt8(0x40), 0x01, 0x61, 0x7F, 0x80 | UInt8((4000 - 127) & 0x7F), UInt8((4000 - 127) >> 7)]
    let block = name + [UInt8](repeating: 0x62, count: 4000) + [UInt8](repeating: 0xBE, count: 65536)
    var section = FieldSection()
    try block.withUnsafeBytes { try decoder.decode($0, into: &section) }
    #expect(section.flaw == .tooLarge)
    #expect(section.fields.isEmpty)
    // The table is as both sides know it.
    section = FieldSection()
    try [UInt8(0xBE)].withUnsafeBytes { try decoder.decode($0, into: &section) }
    #expect(section.fields.first?.value.utf8.count == 4000)
  }

  @Test func literalsThatRecurEnterTheTableEachTime() throws {
    var decoder = HPACKDecoder()
    for _ in 0..<300 {
      #expect(text(try section(&decoder, "88588264025885aec3771a4b")) == ["cache-control: 302", "cache-control: private"])
    }
    #expect(text(try section(&decoder, "bebf")) == ["cache-control: private", "cache-control: 302"])
  }

  // MARK: encoding

  private func encoded(_ encoder: inout HPACKEncoder, _ fields: [(String, String, HPACKEncoder.Indexing)]) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: 4096)
    let count = room.withUnsafeMutableBytes { bytes in
      var output = HPACKOutput(bytes)
      encoder.begin(&output)
      for (name, value, indexing) in fields { encoder.append(name, value, indexing, &output) }
      return output.count
    }
    return Array(room[..<count])
  }

  @Test func requestsOfTheAppendixEncode() {
    var encoder = HPACKEncoder()
    let agent = ("Custom-Key", "custom-value", HPACKEncoder.Indexing.kept)
    #expect(encoded(&encoder, [("cache-control", "no-cache", .kept)]) == bytes("5886a8eb10649cbf"))
    #expect(encoded(&encoder, [agent]) == bytes("408825a849e95ba97d7f8925a849e95bb8e8b4bf"))
    #expect(encoded(&encoder, [agent]) == bytes("be"))
    #expect(encoded(&encoder, [("cache-control", "no-cache", .kept), agent]) == bytes("bfbe"))
  }

  @Test func secretsAreNeverIndexed() {
    var encoder = HPACKEncoder()
    for _ in 0..<2 { #expect(encoded(&encoder, [("Authorization", "x", .secret)]) == bytes("1f080178").map { $0 == 0x78 ? 0x78 : $0 }) }
    for _ in 0..<2 { #expect(encoded(&encoder, [("Content-Length", "1", .transient)]).first == 0x0F) }
  }

  @Test func fieldThatVariesDoesNotFillTheTable() {
    var encoder = HPACKEncoder()
    _ = encoded(&encoder, [("x-id", "0", .kept)])
    for number in 1..<100 { #expect(encoded(&encoder, [("x-id", String(number), .kept)]).first == 0x0F) }
    #expect(encoded(&encoder, [("x-id", "0", .kept)]) == [0xBE])
  }

  @Test func changedTableLimitsAreAnnounced() {
    var encoder = HPACKEncoder()
    _ = encoded(&encoder, [("a", "b", .kept)])
    encoder.allow(tableSize: 0)
    encoder.allow(tableSize: 100)
    // 4.2: the smallest, then the last; what was there is evicted.
    #expect(encoded(&encoder, [("a", "b", .kept)]) == bytes("203f45") + [0x40, 0x01, 0x61, 0x01, 0x62])
    #expect(encoded(&encoder, [("a", "b", .kept)]) == [0xBE])
    encoder.allow(tableSize: 1 << 20)
    #expect(encoded(&encoder, []) == bytes("3fe11f"))
  }

  @Test func whatIsEncodedDecodes() throws {
    var encoder = HPACKEncoder()
    var decoder = HPACKDecoder()
    for round in 0..<200 {
      let fields = (0..<(round % 23)).map { (number: Int) -> (String, String, HPACKEncoder.Indexing) in
        let bytes = (0..<(number * round % 190)).map { (index: Int) -> UInt8 in UInt8(0x21 + (index * 7 + round) % 94) }
        return ("x-\(number)-\(round % 5)", String(decoding: bytes, as: UTF8.self), .kept)
      }
      var section = FieldSection()
      try encoded(&encoder, fields).withUnsafeBytes { try decoder.decode($0, into: &section) }
      #expect(section.flaw == nil)
      #expect(text(section) == fields.map { "\($0.0): \($0.1)" })
    }
  }

  @Test func everyByteHasItsHuffmanCode() {
    let all = (0...255).map { UInt8($0) }
    let huffman = HuffmanCode.shared
    var code = [UInt8](repeating: 0, count: all.withUnsafeBytes { huffman.encodedLength($0) })
    all.withUnsafeBytes { all in code.withUnsafeMutableBytes { huffman.encode(all, into: $0) } }
    var decoded = [UInt8](repeating: 0, count: HuffmanCode.decodedBound(code.count))
    let count = code.withUnsafeBytes { code in decoded.withUnsafeMutableBytes { huffman.decode(code, into: $0) } }
    #expect(count == 256)
    #expect(Array(decoded.prefix(256)) == all)
  }
}

/// The bytes that `hex` spells.
func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
