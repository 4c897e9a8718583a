import Foundation
import LoadingModel
import ProtocolRules
import Testing

@Suite struct ConnectRulesTests {
  @Test(arguments: [("example.org", "example.org:443"), ("::1", "[::1]:443"), ("fe80::1%eth0", "[fe80::1]:443")])
  func targetIsTheHostAsOthersKnowIt(_ host: String, _ target: String) {
    #expect(ConnectRules.target(Origin(scheme: "https", host: host, port: 443)) == target)
  }

  @Test func absoluteFormHasNoLoginAndNoZone() throws {
    let target = try #require(Target(URL(string: "ftp://user:pw@[fe80::1%25eth0]/a#b")))
    #expect(ConnectRules.absoluteForm(target) == "ftp://[fe80::1]/a")
  }
}
