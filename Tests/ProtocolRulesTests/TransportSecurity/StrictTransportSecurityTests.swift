import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct StrictTransportSecurityTests {
  private static let epoch = Date(timeIntervalSince1970: 1_700_000_000)

  @Test(arguments: [
    ("max-age=31536000", 31_536_000, false),
    ("max-age=15768000 ; includeSubDomains", 15_768_000, true),
    ("includeSubDomains; max-age=0", 0, true),
    ("max-age=\"31536000\"", 31_536_000, false),
    ("MAX-AGE=\"31\\536000\"; INCLUDESUBDOMAINS", 31_536_000, true),
    (" max-age = 5 ;", 5, false),
    ("; ; max-age=5;; preload ; unknown=\"a;b=c\"", 5, false),
    ("max-age=99999999999999999999999", 1 << 31, false),
  ])
  func fieldsThatFollowTheGrammarAreRead(value: String, age: Int64, subdomains: Bool) {
    #expect(StrictTransportSecurity(value) == StrictTransportSecurity(maxAge: age, includesSubdomains: subdomains))
  }

  @Test(arguments: [
    "", ";", "includeSubDomains", "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=abc", "max-age=\"\"", "max-age=\"1",
    "max-age=1; max-age=1", "max-age=1; includeSubDomains; includesubdomains", "max-age=1; includeSubDomains=true", "max-age=1; x; X",
    "max-age=1, includeSubDomains", "max-age=1 includeSubDomains", "max-age=1; =5", "max-age=1; a b", "max-age=1; x=\"\\", "max-age==1",
  ])
  func fieldsThatDoNotFollowTheGrammarAreIgnoredWhole(value: String) {
    #expect(StrictTransportSecurity(value) == nil)
  }

  @Test func onlyTheFirstFieldCounts() {
    var headers = HeaderFields()
    #expect(StrictTransportSecurity(headers) == nil)
    headers.add("strict-transport-security", "max-age=1")
    headers.add("Strict-Transport-Security", "max-age=2")
    #expect(StrictTransportSecurity(headers)?.maxAge == 1)
    var broken = HeaderFields([("Strict-Transport-Security", "nonsense=")])
    broken.add("Strict-Transport-Security", "max-age=2")
    #expect(StrictTransportSecurity(broken) == nil)
  }

  /// A table in which these hosts have asked.
  private func hosts(_ asked: [(String, StrictTransportSecurity)]) -> HSTSHosts {
    var hosts = HSTSHosts()
    for (host, policy) in asked {
      guard let change = hosts.change(by: policy, from: host, now: Self.epoch) else { continue }
      _ = hosts.apply(change, now: Self.epoch)
    }
    return hosts
  }

  @Test func subdomainsFollowOnlyWhereAsked() {
    let hosts = hosts([
      ("a.example", .init(maxAge: 100, includesSubdomains: false)), ("b.example", .init(maxAge: 100, includesSubdomains: true)),
    ])
    let answers = ["a.example", "a.example.", "x.a.example", "b.example", "x.b.example", "y.x.b.example", "xb.example", "example"]
      .map { hosts.requiresTLS($0, now: Self.epoch) }
    #expect(answers == [true, true, false, true, true, true, false, false])
  }

  @Test func parentsThatAreLongerThanAnyDomainAreNotLookedUp() {
    let host = String(repeating: "a.", count: 1000) + "b.example"
    let domains = HostKind.domains(above: host)
    #expect(domains.allSatisfy { $0.utf8.count <= HostKind.longestName })
    #expect(domains.first?.utf8.count == HostKind.longestName)
    #expect(domains.suffix(3) == ["a.b.example", "b.example", "example"])
    #expect(hosts([("b.example", .init(maxAge: 100, includesSubdomains: true))]).requiresTLS(host, now: Self.epoch))
  }

  @Test func timeRunsOutAndZeroTakesItBack() throws {
    var hosts = hosts([("a.example", .init(maxAge: 100, includesSubdomains: true))])
    #expect(hosts.requiresTLS("a.example", now: Self.epoch + 99))
    #expect(!hosts.requiresTLS("a.example", now: Self.epoch + 100))
    let zero = StrictTransportSecurity(maxAge: 0, includesSubdomains: false)
    #expect(hosts.change(by: zero, from: "other.example", now: Self.epoch) == nil)
    let change = try #require(hosts.change(by: zero, from: "A.example".lowercased(), now: Self.epoch))
    #expect(change == .remove("a.example"))
    _ = hosts.apply(change, now: Self.epoch)
    #expect(hosts.isEmpty)
  }

  @Test(arguments: ["127.0.0.1", "::1", "fe80::1%eth0", "127.1", "0x7f000001", "2130706433"])
  func addressesAreNeverNoted(host: String) {
    #expect(HSTSHosts().change(by: .init(maxAge: 100, includesSubdomains: true), from: host, now: Self.epoch) == nil)
    let last = String(host.split(separator: ".").last ?? "")
    let hosts = HSTSHosts([last: HSTSHost(includesSubdomains: true, expires: .distantFuture, noted: Self.epoch)])
    #expect(!hosts.requiresTLS(host, now: Self.epoch))
  }

  @Test func repetitionsAreNotWorthAWrite() {
    let hosts = hosts([("a.example", .init(maxAge: 1000, includesSubdomains: false))])
    let same = StrictTransportSecurity(maxAge: 1000, includesSubdomains: false)
    #expect(hosts.change(by: same, from: "a.example", now: Self.epoch + 10) == nil)
    #expect(hosts.change(by: same, from: "a.example", now: Self.epoch + 60) != nil)
    #expect(hosts.change(by: .init(maxAge: 1000, includesSubdomains: true), from: "a.example", now: Self.epoch + 1) != nil)
    #expect(hosts.change(by: .init(maxAge: 500, includesSubdomains: false), from: "a.example", now: Self.epoch) != nil)
  }

  @Test func tableIsBoundedAndForgetsWhoAskedLongestAgo() throws {
    var table: [String: HSTSHost] = [:]
    for index in 0..<HSTSHosts.limit {
      table["h\(index).example"] = HSTSHost(includesSubdomains: false, expires: .distantFuture, noted: Self.epoch + Double(index))
    }
    var hosts = HSTSHosts(table)
    let now = Self.epoch + 1_000_000
    let change = try #require(hosts.change(by: .init(maxAge: 100, includesSubdomains: false), from: "new.example", now: now))
    let forgotten = hosts.apply(change, now: now)
    #expect(Set(forgotten) == Set((0..<HSTSHosts.limit / 10).map { "h\($0).example" }))
    #expect(hosts.table.count == HSTSHosts.limit * 9 / 10 + 1)
    #expect(hosts.requiresTLS("new.example", now: now))
  }

  @Test(arguments: [
    ("http://a.example/x?y#z", "https://a.example/x?y#z"), ("http://a.example:80/", "https://a.example:443/"),
    ("http://a.example:8080/", "https://a.example:8080/"), ("HTTP://u:p@a.example:80", "https://u:p@a.example:443"),
    ("http://u:80@a.example/:80", "https://u:80@a.example/:80"), ("ws://a.example:80?q", "wss://a.example:443?q"),
    ("http://[::1]:80/", "https://[::1]:443/"), ("http://[1::80]/", "https://[1::80]/"), ("http://a.example:/", "https://a.example:/"),
    ("http://a.example:080/", "https://a.example:443/"),
  ])
  func upgradeKeepsEverythingButSchemeAndDefaultPort(from: String, to: String) throws {
    #expect(try SecureUpgrade.url(#require(URL(string: from)))?.absoluteString == to)
  }

  @Test(arguments: ["https://a.example/", "file:///x", "data:,x", "ftp://a.example/"])
  func otherSchemesHaveNoUpgrade(text: String) throws {
    #expect(try SecureUpgrade.url(#require(URL(string: text))) == nil)
  }
}
