import Testing

@testable import ProtocolRules

/// Answers to questions for addresses, after RFC 1035, RFC 2308 and RFC 8484.
@Suite struct AddressAnswerTests {
  private static let host = "example.com"
  private static let first = WireBytes.of("C0000201")
  private static let second = WireBytes.of("C0000202")
  private static let long = WireBytes.of("20010DB8 00000000 00000000 00000001")

  private func question(_ type: DNSQuestion.RecordType = .v4) throws -> DNSQuestion { DNSQuestion(try #require(DNSName(Self.host)), type) }

  private func message(
    _ records: [UInt8]..., type: Int = 1, flags: Int = 0x8180, asked: String = host, authority: [UInt8]? = nil
  ) -> [UInt8] {
    WireBytes.of(0) + WireBytes.of(flags) + WireBytes.of(1) + WireBytes.of(records.count) + WireBytes.of(authority == nil ? 0 : 1)
      + WireBytes.of(0) + WireBytes.name(asked) + WireBytes.of(type) + WireBytes.of(1) + records.flatMap(\.self) + (authority ?? [])
  }

  private func alias(_ target: String, of owner: String? = nil, lifetime: Int = 300) -> [UInt8] {
    WireBytes.record(WireBytes.name(target), owner: owner.map(WireBytes.name) ?? [0xC0, 0x0C], type: 5, lifetime: lifetime)
  }

  private func fault(_ bytes: [UInt8], _ type: DNSQuestion.RecordType = .v4) throws -> DNSFault? {
    let question = try question(type)
    do throws(DNSFault) {
      let answer = try AddressAnswer(bytes, to: question)
      Issue.record("it was read: \(answer)")
      return nil
    } catch {
      return error
    }
  }

  @Test func addressesComeInTheirOrderWithTheShortestLifetime() throws {
    let bytes = message(
      WireBytes.record(Self.second, type: 1, lifetime: 60), WireBytes.record(Self.first, type: 1, lifetime: 300),
      WireBytes.record(Self.second, type: 1, lifetime: 60))
    let answer = try AddressAnswer(bytes, to: question())
    #expect(answer.content == .addresses(["192.0.2.2", "192.0.2.1"].compactMap { IPAddress($0) }))
    #expect(answer.lifetime == 60 && !answer.isAuthenticated)
    let validated = message(WireBytes.record(Self.first, type: 1), flags: 0x81A0)
    #expect(try AddressAnswer(validated, to: question()).isAuthenticated)
    let wide = message(WireBytes.record(Self.long, type: 28), type: 28)
    #expect(try AddressAnswer(wide, to: question(.v6)).content == .addresses([try #require(IPAddress("2001:db8::1"))]))
  }

  @Test func aliasesAreFollowedWithinTheAnswer() throws {
    let bytes = message(
      alias("a.example", lifetime: 20), WireBytes.record(Self.second, owner: WireBytes.name("b.example"), type: 1),
      alias("b.example", of: "a.example"), WireBytes.record(Self.first, owner: WireBytes.name("c.example"), type: 1))
    let answer = try AddressAnswer(bytes, to: question())
    #expect(answer.content == .addresses([try #require(IPAddress("192.0.2.2"))]) && answer.lifetime == 20)
  }

  @Test func anAliasWithoutAddressesIsAskedAbout() throws {
    let answer = try AddressAnswer(message(alias("a.example")), to: question())
    #expect(answer.content == .alias(try #require(DNSName("a.example"))))
    // The start of authority says that there are none.
    let authority = WireBytes.record([0], owner: WireBytes.name("example"), type: 6)
    #expect(try AddressAnswer(message(alias("a.example"), authority: authority), to: question()).content == .none)
    #expect(try AddressAnswer(message(), to: question()).content == .none)
  }

  @Test func circlesAndLongChainsEnd() throws {
    #expect(try fault(message(alias("example.com"))) == .circle)
    #expect(try fault(message(alias("a.example"), alias("b.example", of: "a.example"), alias("a.example", of: "b.example"))) == .circle)
    var chain = message()
    let count = LookUpRules.aliasLimit + 1
    chain[7] = UInt8(count)
    for index in 0..<count { chain += alias("a\(index + 1).example", of: index == 0 ? nil : "a\(index).example") }
    #expect(try fault(chain) == .tooManyAliases)
  }

  @Test func whatTheResolverSaysInThePlaceOfAnAnswer() throws {
    #expect(try AddressAnswer(message(flags: 0x8183), to: question()).content == .absent)
    #expect(try AddressAnswer(message(alias("a.example"), flags: 0x8183), to: question()).content == .absent)
    #expect(try fault(message(flags: 0x8182)) == .refused(2))
    #expect(try fault(message(flags: 0x8185)) == .refused(5))
    #expect(try fault(message(WireBytes.record(Self.first, type: 1), flags: 0x8380)) == .truncated)
    #expect(try fault(message(asked: "other.example")) == .foreign)
    #expect(try fault(message(type: 28)) == .foreign)
  }

  @Test func malformedMessagesAreRefused() throws {
    #expect(try fault([]) == .malformed)
    #expect(try fault(message(flags: 0x0100)) == .malformed)
    for address in [[], Array(Self.first.dropLast()), Self.first + [0]] {
      #expect(try fault(message(WireBytes.record(address, type: 1))) == .malformed)
    }
    #expect(try fault(message(WireBytes.record([0xC0, 0xFF], type: 5))) == .malformed)
    let whole = message(alias("a.example"), WireBytes.record(Self.first, owner: WireBytes.name("a.example"), type: 1))
    for length in 0..<whole.count { #expect(try fault(Array(whole.prefix(length))) == .malformed) }
  }

  @Test func anyBytesAreReadToAnEnd() throws {
    let whole = message(alias("a.example"), WireBytes.record(Self.first, owner: WireBytes.name("a.example"), type: 1))
    let question = try question()
    for index in whole.indices {
      for value in [0, 1, 0x3F, 0x40, 0x80, 0xC0, 0xFF] as [UInt8] {
        var changed = whole
        changed[index] = value
        _ = try? AddressAnswer(changed, to: question)
      }
    }
  }

  @Test func questionsArePaddedAndSayThatValidationIsUnderstood() throws {
    let bytes = try question(.v6).message
    #expect(bytes.count == 128)
    #expect(bytes.starts(with: WireBytes.of("0000 0120 0001 0000 0000 0001") + WireBytes.name(Self.host) + WireBytes.of("001C 0001")))
    let longest = try #require(
      DNSName(([String](repeating: String(repeating: "a", count: 63), count: 3) + ["example"]).joined(separator: ".")))
    #expect(DNSQuestion(longest, .https).message.count == 256)
  }
}
