import LoadingModel
import Testing

@testable import ProtocolRules

@Suite struct ServiceBindingRulesTests {
  private func origin(_ host: String, _ port: Int = 443, scheme: String = "https") -> Origin {
    Origin(scheme: scheme, host: host, port: port)
  }

  private func bindings(_ records: String...) -> [ServiceBinding] { records.compactMap { ServiceBinding(WireBytes.of($0)) } }

  private func place(_ bindings: [ServiceBinding], port: Int = 443) -> AlternativeEndpoint? {
    ServiceBindingRules.alternative(places(bindings, port: port))
  }

  private func places(_ bindings: [ServiceBinding], host: String = "a.example", port: Int = 443) -> [ServicePlace] {
    ServiceBindingRules.places(of: origin(host, port), bindings, owner: DNSName(labels: [[0x6F], [0x65]]))
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

  /// 7.1: the default protocol is there unless it is taken back. 8: what isn't understood makes a record useless.
  @Test func recordsNameTheirPlacesAndProtocols() {
    let found = places(
      bindings(
        "0001 00 0003 0002 01bc", "0002 01 62 00 0001 0003 02 6832 0002 0000 0004 0004 c0000201", "0003 01 63 00 0000 0002 0005 0005 0000",
        "0004 01 64 00 0001 0003 02 6833"), port: 8443)
    #expect(
      found == [
        ServicePlace(host: "o.e", port: 444), ServicePlace(host: "b", port: 8443, addressHints: ["192.0.2.1"], protocols: ["h2"]),
        ServicePlace(host: "d", port: 8443, protocols: ["h3", "http/1.1"]),
      ])
  }

  @Test func attemptsAreInTheRecordsOrderAndEndAtTheOrigin() {
    let found = places(
      bindings(
        "0001 01 62 00", "0002 01 63 00 0001 0003 02 6833 0002 0000", "0003 01 62 00", "0004 01 64 00 0001 0003 02 6832 0002 0000"))
    func attempts(_ offered: [String], _ refused: Set<ServicePlace> = []) -> [String] {
      ServiceBindingRules.attempts(at: origin("a.example"), found, offering: offered, without: refused).map(\.host)
    }
    #expect(attempts(["h2", "http/1.1"]) == ["b", "d", "a.example"])
    #expect(attempts(["http/1.1"]) == ["b", "a.example"])
    #expect(attempts(["http/1.1"], [ServicePlace(host: "b", port: 443)]) == ["a.example"])
  }

  @Test func attemptsAreBounded() {
    let many = (0..<100).map { ServicePlace(host: "h\($0)", port: 443) }
    let found = ServiceBindingRules.attempts(at: origin("a.example"), many, offering: ["http/1.1"])
    #expect(found.count == ServiceBindingRules.placeLimit + 1 && found.last?.host == "a.example")
  }

  @Test func originAmongThePlacesIsTriedInItsTurnAlone() {
    let found = [ServicePlace(host: "a.example", port: 443), ServicePlace(host: "b", port: 443)]
    #expect(ServiceBindingRules.attempts(at: origin("a.example"), found, offering: ["http/1.1"]) == found)
  }

  /// The name is the same; its addresses are looked up by the URL's spelling.
  @Test func dotAtTheEndOfAHostIsKept() {
    let own = ServiceBindingRules.places(
      of: origin("a.example."), bindings("0001 00 0003 0002 01bc"), owner: DNSName("a.example") ?? DNSName(labels: []))
    #expect(own == [ServicePlace(host: "a.example.", port: 444)])
  }

  @Test func answersAreKeptWithinBounds() {
    #expect(ServiceBindingRules.lifetime(0) == 1)
    #expect(ServiceBindingRules.lifetime(60) == 60)
    #expect(ServiceBindingRules.lifetime(.max) == 3600)
    #expect(ServiceBindingRules.lifetime(nil) == ServiceBindingRules.absenceLifetime)
  }
}
