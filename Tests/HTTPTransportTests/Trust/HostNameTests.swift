import Testing

@testable import HTTPTransport

@Suite struct HostNameTests {
  @Test(arguments: [("::1", "::1"), ("fe80::1%eth0", "fe80::1"), ("192.0.2.1", "192.0.2.1")])
  func addressIsComparedWithoutItsZone(_ host: String, _ address: String) {
    #expect(HostName(host).address == address)
    #expect(HostName(host).name == nil)
  }

  @Test func nameIsComparedWithoutItsLastDot() {
    #expect(HostName("example.org.").name == "example.org")
    #expect(HostName("example.org").address == nil)
  }
}
