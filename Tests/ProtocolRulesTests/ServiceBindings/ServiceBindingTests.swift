import Testing

@testable import ProtocolRules

/// The wire form of HTTPS records, after RFC 9460.
@Suite struct ServiceBindingTests {
  /// foo.example.com.
  private static let fooCom = "03 666f6f 07 6578616d706c65 03 636f6d 00"
  /// foo.example.org.
  private static let fooOrg = "03 666f6f 07 6578616d706c65 03 6f7267 00"

  private func binding(_ hex: String) -> ServiceBinding? { ServiceBinding(WireBytes.of(hex)) }

  // MARK: appendix D

  /// D.1, figure 2.
  @Test func vectorOfAliasMode() {
    let alias = binding("0000 \(Self.fooCom)")
    #expect(alias?.isAlias == true)
    #expect(alias?.target.host == "foo.example.com")
  }

  /// D.2, figure 3.
  @Test func vectorWhoseTargetIsItsOwnName() {
    let own = binding("0001 00")
    #expect(own?.priority == 1)
    #expect(own?.target.isRoot == true)
    #expect(own?.isCompatible == true)
    #expect(own?.protocols == [] && own?.hasDefaultProtocol == true)
  }

  /// Figure 4.
  @Test func vectorWithAPort() {
    let port = binding("0010 \(Self.fooCom) 0003 0002 0035")
    #expect(port?.priority == 16)
    #expect(port?.port == 53)
  }

  /// Figures 5 and 6: key667=hello, and with an escaped byte.
  @Test(arguments: ["029b 0005 68656c6c6f", "029b 0009 68656c6c6f d2 716f6f"]) func vectorWithAnUnknownKey(parameter: String) {
    let unknown = binding("0001 \(Self.fooCom) \(parameter)")
    #expect(unknown?.isCompatible == true)
    #expect(unknown?.target.host == "foo.example.com")
  }

  /// Figure 7.
  @Test func vectorWithTwoAddressesOfIPv6() {
    let hints = binding(
      "0001 \(Self.fooCom) 0006 0020 20010db8000000000000000000000001 20010db8000000000000000000530001")
    #expect(hints?.addressHints == ["2001:db8::1", "2001:db8::53:1"])
  }

  /// Figure 8: an IPv6 address written with an IPv4 one in it.
  @Test func vectorWithAnEmbeddedAddress() {
    let hint = binding("0001 07 6578616d706c65 03 636f6d 00 0006 0010 20010db8 01220344 00000000 c0000221")
    #expect(hint?.target.host == "example.com")
    #expect(hint?.addressHints == ["2001:db8:122:344::c000:221"])
  }

  /// Figure 9: keys out of order in the text, in order on the wire.
  @Test func vectorWithMandatoryKeys() {
    let binding = binding(
      "0010 \(Self.fooOrg) 0000 0004 0001 0004 0001 0009 02 6832 05 68332d3139 0004 0004 c0000201")
    #expect(binding?.isCompatible == true)
    #expect(binding?.protocols == ["h2", "h3-19"])
    #expect(binding?.addressHints == ["192.0.2.1"])
  }

  /// Figure 10: a protocol with a backslash and a comma in its name.
  @Test func vectorWithEscapedProtocol() {
    #expect(binding("0010 \(Self.fooOrg) 0001 000c 08 665c6f6f2c626172 02 6832")?.protocols == [#"f\oo,bar"#, "h2"])
  }

  /// D.3, as they would be on the wire: keys twice, values that are missing or aren't allowed, `mandatory` in its own list or with a key
  /// twice.
  @Test(
    arguments: [
      "007b 0003 616263 007b 0003 646566", "0000 0000", "0001 0000", "0003 0000", "0004 0000", "0006 0000",
      "0001 0003 02 6832 0002 0003 616263", "0000 0002 0000", "0000 0004 007b 007b 007b 0003 616263",
    ])
  func vectorsOfFailure(parameters: String) { #expect(binding("0001 \(Self.fooCom) \(parameters)") == nil) }

  /// D.3: `mandatory=key123` without the key contradicts itself; the other records are good.
  @Test func vectorThatLacksWhatItCallsMandatory() {
    #expect(binding("0001 \(Self.fooCom) 0000 0002 007b")?.isCompatible == false)
  }

  // MARK: beside the vectors

  @Test(
    arguments: [
      // Cut off: priority, target, parameter.
      "", "00", "0001", "0001 03 666f", "0001 03 666f6f", "0001 00 00", "0001 00 0003", "0001 00 0003 0002 00",
      // Keys that decrease.
      "0001 00 0003 0002 0035 0001 0003 02 6832",
      // A compressed target; a label that is too long.
      "0001 c000", "0001 40 00",
      // Values of the wrong length.
      "0001 00 0003 0001 35", "0001 00 0003 0003 003500", "0001 00 0004 0003 c00002", "0001 00 0006 000f 20010db80000000000000000000000",
      "0001 00 0001 0002 02 68", "0001 00 0001 0001 00", "0001 00 0000 0001 00",
      // Mandatory keys that decrease.
      "0001 00 0000 0004 0004 0001 0001 0003 02 6832 0004 0004 c0000201",
    ])
  func malformedRecordsAreNone(hex: String) { #expect(binding(hex) == nil) }

  @Test func unknownOrContradictoryKeysMakeARecordUseless() {
    // key667 is mandatory.
    #expect(binding("0001 00 0000 0002 029b 029b 0000")?.isCompatible == false)
    // A list of keys that can't be read is none.
    #expect(binding("0001 00 0000 0002 0005 0005 0002 abcd")?.isCompatible == false)
    #expect(binding("0001 00 0005 0002 abcd")?.isCompatible == true)
    // no-default-alpn without alpn.
    #expect(binding("0001 00 0002 0000")?.isCompatible == false)
    let alone = binding("0001 00 0001 0003 02 6833 0002 0000")
    #expect(alone?.isCompatible == true && alone?.hasDefaultProtocol == false)
    #expect(binding("0001 00 0003 0002 0000")?.isCompatible == false)
  }

  /// 2.4.2.
  @Test func parametersOfAnAliasAreIgnored() { #expect(binding("0000 \(Self.fooCom) ffff ff")?.isAlias == true) }

  @Test func hintsAreBounded() {
    let many = String(repeating: "c0000201", count: 100)
    #expect(binding("0001 00 0004 0190 \(many)")?.addressHints.count == 16)
  }

  @Test func namesThatNoHostHasAreNoHosts() {
    #expect(binding("0001 04 61 2e 62 63 00")?.target.host == nil)
    #expect(binding("0001 03 46 6f 4f 00")?.target.host == "foo")
    let long = (0..<8).map { _ in "1f" + String(repeating: "61", count: 31) }.joined()
    #expect(binding("0001 \(long) 00") == nil)
  }
}
