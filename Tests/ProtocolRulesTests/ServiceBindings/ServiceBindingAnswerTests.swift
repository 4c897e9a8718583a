import LoadingModel
import Testing

@testable import ProtocolRules

/// Messages of the DNS, after RFC 1035 and RFC 9460.
@Suite struct ServiceBindingAnswerTests {
  private static let host = "example.com"
  /// ServiceMode at the record's own name, with h3; priority 1.
  private static let http3 = WireBytes.of("0001 00 0001 0006 02 6833 02 6832")

  private func answer(_ message: [UInt8], to name: String = host) -> ServiceBindingAnswer? {
    DNSName(name).flatMap { ServiceBindingAnswer(message, to: $0) }
  }

  private func services(_ message: [UInt8], to name: String = host) -> [ServiceBinding]? {
    guard case .services(let bindings, _)? = answer(message, to: name)?.content else { return nil }
    return bindings
  }

  @Test func recordsComeInTheirOrderOfPreference() {
    let second = WireBytes.of("0002 00 0001 0003 02 6832")
    let message = WireBytes.response(Self.host, WireBytes.record(second), WireBytes.record(Self.http3, lifetime: 60))
    #expect(services(message)?.map(\.priority) == [1, 2])
    #expect(answer(message)?.lifetime == 60)
    #expect(answer(message, to: "EXAMPLE.com.") == answer(message))
  }

  @Test func namesOfOthersAreLeftAside() {
    let other = WireBytes.record(Self.http3, owner: WireBytes.name("other.example"))
    #expect(answer(WireBytes.response(Self.host, other))?.content == ServiceBindingAnswer.Content.none)
    let address = WireBytes.record([192, 0, 2, 1], type: 1)
    #expect(services(WireBytes.response(Self.host, address, WireBytes.record(Self.http3)))?.count == 1)
  }

  @Test func canonicalNamesAreFollowed() throws {
    let first = WireBytes.record(WireBytes.name("cdn.example"), type: 5, lifetime: 20)
    let last = WireBytes.record(Self.http3, owner: WireBytes.name("cdn.example"))
    let found = answer(WireBytes.response(Self.host, first, last))
    guard case .services(_, let owner)? = found?.content else {
      Issue.record("nothing found")
      return
    }
    #expect(owner.host == "cdn.example")
    #expect(found?.lifetime == 20)
    // A circle has an end.
    let circle = WireBytes.record(WireBytes.of("c00c"), owner: WireBytes.name("cdn.example"), type: 5)
    #expect(answer(WireBytes.response(Self.host, first, circle))?.content == ServiceBindingAnswer.Content.none)
  }

  /// RFC 9460, 2.4.1 and 2.5.1.
  @Test func aliasesTakePrecedence() {
    let alias = WireBytes.record([0, 0] + WireBytes.name("pool.example"))
    let message = WireBytes.response(Self.host, WireBytes.record(Self.http3), alias)
    #expect(answer(message)?.content == DNSName("pool.example").map(ServiceBindingAnswer.Content.alias))
    #expect(answer(WireBytes.response(Self.host, WireBytes.record([0, 0, 0])))?.content == ServiceBindingAnswer.Content.none)
  }

  /// 2.2: "If any RRs are malformed, the client MUST reject the entire RRset".
  @Test func oneMalformedRecordSpoilsAll() {
    #expect(answer(WireBytes.response(Self.host, WireBytes.record(Self.http3), WireBytes.record([0, 1]))) == nil)
    let useless = WireBytes.record(WireBytes.of("0001 00 0000 0002 029b 029b 0000"))
    #expect(services(WireBytes.response(Self.host, WireBytes.record(Self.http3), useless))?.count == 1)
    #expect(answer(WireBytes.response(Self.host, useless))?.content == ServiceBindingAnswer.Content.none)
  }

  @Test func failuresAreNoAnswers() {
    // A question, a truncated response, SERVFAIL.
    for flags in [0x0100, 0x8380, 0x8182] {
      #expect(answer(WireBytes.response(Self.host, flags: flags, WireBytes.record(Self.http3))) == nil)
    }
    // NXDOMAIN says that there is nothing.
    #expect(answer(WireBytes.response(Self.host, flags: 0x8183))?.content == ServiceBindingAnswer.Content.none)
    #expect(answer([]) == nil)
  }

  @Test func pointersThatDoNotLeadBackAreMalformed() {
    // To itself, and forward.
    for pointer in ["c01d", "c020"] {
      #expect(answer(WireBytes.response(Self.host, WireBytes.record(Self.http3, owner: WireBytes.of(pointer)))) == nil)
    }
  }

  /// RFC 2181, 8.
  @Test func lifetimeWithTheHighestBitIsNone() {
    #expect(answer(WireBytes.response(Self.host, WireBytes.record(Self.http3, lifetime: 0x8000_0000)))?.lifetime == 0)
  }

  @Test func mutatedMessagesAreReadOrRefused() {
    let alias = WireBytes.record(WireBytes.name("cdn.example"), type: 5)
    let long = WireBytes.of(
      "0010 03 666f6f 00 0000 0004 0001 0004 0001 0009 02 6832 05 68332d3139 0003 0002 01bb 0004 0004 c0000201 0006 0010 "
        + "20010db8000000000000000000000001")
    let message = WireBytes.response(
      Self.host, alias, WireBytes.record(long, owner: WireBytes.name("cdn.example")),
      WireBytes.record(Self.http3, owner: WireBytes.name("cdn.example")))
    #expect(services(message)?.count == 2)
    var random = Weyl()
    for _ in 0..<20_000 {
      var mutated = message
      for _ in 0...random.next(3) { mutated[random.next(mutated.count)] = UInt8(random.next(256)) }
      if random.next(4) == 0 { mutated.removeLast(random.next(mutated.count)) }
      guard let answer = answer(mutated), case .services(let bindings, _) = answer.content else { continue }
      #expect(bindings.count <= 3)
    }
    for length in 0..<message.count { _ = answer(Array(message.prefix(length))) }
  }

  /// Numbers that look random, the same each time.
  private struct Weyl {
    private var state: UInt64 = 1

    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(max(bound, 1)))
    }
  }
}
