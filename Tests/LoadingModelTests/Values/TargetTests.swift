import Foundation
import LoadingModel
import Testing

@Suite struct TargetTests {
  @Test(arguments: [
    ("http://example.com", "http", "example.com", 80, "/", "example.com"),
    ("HTTP://Example.COM:80/a?b=c#d", "http", "example.com", 80, "/a?b=c", "example.com"),
    ("https://example.com:8443?x", "https", "example.com", 8443, "/?x", "example.com:8443"),
    ("http://[::1]:8080/p", "http", "::1", 8080, "/p", "[::1]:8080"),
    ("https://user:p%40ss@example.com/", "https", "example.com", 443, "/", "example.com"),
  ])
  func urlIsTakenApart(_ text: String, scheme: String, host: String, port: Int, resource: String, authority: String) throws {
    let target = try #require(Target(URL(string: text)))
    #expect(target.origin == Origin(scheme: scheme, host: host, port: port))
    #expect(target.pathAndQuery == resource)
    #expect(target.authority == authority)
  }

  @Test(arguments: [("http://[fe80::1%25eth0]/", "[fe80::1]"), ("http://[FE80::1%25eth0]:8080/", "[fe80::1]:8080")])
  func zoneOfAnAddressStaysOnThisMachine(_ text: String, authority: String) throws {
    let target = try #require(Target(URL(string: text)))
    #expect(target.authority == authority)
    #expect(target.origin.host == "fe80::1%eth0")
    let other = try #require(Target(URL(string: text.replacing("eth0", with: "eth1"))))
    #expect(target.ownAuthority != other.ownAuthority)
  }

  @Test func userInfoIsDecoded() throws {
    let target = try #require(Target(URL(string: "https://user:p%40ss@example.com/")))
    #expect(target.user == "user")
    #expect(target.password == "p@ss")
  }

  @Test(arguments: ["data:,x", "file:///etc/hosts", "mailto:a@b.c", "http:///path", "/relative", "custom://host/"])
  func urlWithoutConnectionHasNoTarget(_ text: String) {
    #expect(Target(URL(string: text)) == nil)
  }

  @Test func headerNamesCompareWithoutCase() {
    var fields = HeaderFields([("Content-Type", "text/plain"), ("X-A", "1"), ("x-a", "2")])
    #expect(fields.first("content-type") == "text/plain")
    #expect(fields.joined("X-a") == "1, 2")
    fields.set("x-A", "3")
    #expect(fields.all("x-a") == ["3"])
    fields.remove("CONTENT-TYPE")
    #expect(fields.count == 1)
  }

  @Test func tokensOfAListCompareWithoutCase() {
    let fields = HeaderFields([("Connection", "Keep-Alive , upgrade"), ("connection", "Close")])
    #expect(fields.listContains("connection", token: "close"))
    #expect(fields.listContains("Connection", token: "Upgrade"))
    #expect(!fields.listContains("Connection", token: "keep"))
  }

  @Test func changingACopyLeavesTheOriginal() {
    let original = LoadRequest(url: URL(string: "http://a/"))
    var copy = original
    copy.mutate { $0.method = "PUT" }
    #expect(original.method == "GET")
    #expect(copy.method == "PUT")
  }

  @Test func instantsSaturate() {
    let now = Instant(nanoseconds: 5)
    #expect(now.advanced(bySeconds: .infinity).nanoseconds == .max)
    #expect(now.advanced(bySeconds: -1) == now)
    #expect(now.advanced(bySeconds: .nan) == now)
    #expect(now.advanced(bySeconds: 1).nanoseconds == 1_000_000_005)
  }
}
