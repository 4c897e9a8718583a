import LoadingModel
import Testing

@testable import ProtocolRules

@Suite struct ServiceBindingRulesTests {
  private func origin(_ host: String, _ port: Int = 443, scheme: String = "https") -> Origin {
    Origin(scheme: scheme, host: host, port: port)
  }

  private func bindings(_ records: String...) -> [ServiceBinding] { records.compactMap { ServiceBinding(WireBytes.of($0)) } }

  private func place(_ bindings: [ServiceBinding], port: Int = 443) -> AlternativeEndpoint? {
    ServiceBindingRules.place(of: origin("a.example", port), bindings, owner: DNSName(labels: [[0x6F], [0x65]]))
  }

  /// RFC 9460, 9.1.
  @Test func otherPortsHaveNamesOfTheirOwn() {
    #expect(ServiceBindingRules.question(for: origin("a.example"))?.host == "a.example")
    #expect(ServiceBindingRules.question(for: origin("a.example."))?.host == "a.example")
    #expect(ServiceBindingRules.question(for: origin("a.example", 8443))?.host == "_8443._https.a.example")
  }

  @Test(arguments: ["127.0.0.1", "::1", "localhost", "a.localhost", "printer.local", "single", "a.invalid", "a.onion", "a..example"])
  func namesThatTheDNSDoesNotKnowAreNotAskedAbout(host: String) { #expect(ServiceBindingRules.question(for: origin(host)) == nil) }

  @Test func onlyHTTPSIsAskedAbout() {
    #expect(ServiceBindingRules.question(for: origin("a.example", 80, scheme: "http")) == nil)
    #expect(ServiceBindingRules.question(for: origin("a.example", scheme: "wss")) == nil)
  }

  @Test func firstRecordWithHTTP3IsTaken() {
    let found = place(
      bindings(
        "0001 01 62 00 0001 0003 02 6832", "0002 01 63 00 0001 0003 02 6833 0003 0002 01bc 0004 0004 c0000201", "0003 00 0001 0003 02 6833"),
      port: 8443)
    #expect(found == AlternativeEndpoint(host: "c", port: 444, addressHints: ["192.0.2.1"]))
  }

  /// 2.5.2: a target of "." is the record's own name. Without a port it is the origin's.
  @Test func ownNameAndPortAreTheDefault() {
    #expect(place(bindings("0001 00 0001 0003 02 6833"), port: 8443) == AlternativeEndpoint(host: "o.e", port: 8443))
  }

  @Test func nothingIsFoundWhereHTTP3IsNotOffered() {
    #expect(place(bindings("0001 00", "0002 00 0001 0006 05 68332d3239", "0003 00 0001 0003 02 6832")) == nil)
    #expect(place(bindings("0000 01 62 00")) == nil)
    // Names that no host has, and addresses in their place.
    #expect(place(bindings("0001 02 6120 00 0001 0003 02 6833")) == nil)
    #expect(place(bindings("0001 03 313237 01 30 01 30 01 31 00 0001 0003 02 6833")) == nil)
  }

  @Test func answersAreKeptWithinBounds() {
    #expect(ServiceBindingRules.lifetime(0) == 1)
    #expect(ServiceBindingRules.lifetime(60) == 60)
    #expect(ServiceBindingRules.lifetime(.max) == 3600)
    #expect(ServiceBindingRules.lifetime(nil) == ServiceBindingRules.absenceLifetime)
  }
}
