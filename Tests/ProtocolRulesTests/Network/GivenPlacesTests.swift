import Testing

@testable import ProtocolRules

/// Addresses and places that an app writes down.
@Suite struct GivenPlacesTests {
  @Test func hostsAndPortsHaveTheirForms() {
    #expect(HostAndPort("Example.com.:443") == HostAndPort(host: "example.com", port: 443))
    #expect(HostAndPort("example.com") == HostAndPort(host: "example.com", port: nil))
    #expect(HostAndPort(":80") == HostAndPort(host: nil, port: 80))
    #expect(HostAndPort("*:80") == HostAndPort(host: nil, port: 80))
    #expect(HostAndPort("[::1]:8443") == HostAndPort(host: "::1", port: 8443))
    #expect(HostAndPort("::1") == HostAndPort(host: "::1", port: nil))
    for text in ["a:b", "a:0", "a:65536", "a b", "[::1", "[a]:1", "a:b:c", "http://a", "a/"] { #expect(HostAndPort(text) == nil) }
  }

  @Test func theClosestEntryCounts() {
    let table = AddressTable(["a.example:443": ["192.0.2.1"], "a.example": ["192.0.2.2"], "*:80": ["192.0.2.3"]])
    #expect(table.fault == nil)
    #expect(table.addresses(of: "A.example", 443)?.map(\.text) == ["192.0.2.1"])
    #expect(table.addresses(of: "a.example", 80)?.map(\.text) == ["192.0.2.2"])
    #expect(table.addresses(of: "b.example", 80)?.map(\.text) == ["192.0.2.3"])
    #expect(table.addresses(of: "b.example", 443) == nil)
    let places = ConnectTable(["a.example:443": "b.example:8443", ":80": ":8080", "a.example": "c.example"])
    #expect(places.place(of: "a.example", 443)! == ("b.example", 8443))
    #expect(places.place(of: "a.example", 80)! == ("c.example", 80))
    #expect(places.place(of: "b.example", 80)! == ("b.example", 8080))
    #expect(places.place(of: "b.example", 443) == nil)
  }

  @Test func whatIsWrongIsNamed() {
    #expect(AddressTable(["a": ["b.example"]]).fault?.contains("b.example") == true)
    #expect(AddressTable(["a": []]).fault?.contains("“a”") == true)
    #expect(AddressTable(["a:b": ["::1"]]).fault?.contains("a:b") == true)
    #expect(AddressTable(["a": ["[::1]", "127.0.0.1"]]).fault == nil)
    #expect(ConnectTable(["a": "b:99999"]).fault?.contains("99999") == true)
  }
}
