import Foundation
import Testing

@testable import URLLoadingSystem

struct HTTPCookiePropertiesTests {
  private let minimum: [HTTPCookiePropertyKey: Any] = [.name: "n", .value: "v", .path: "/", .domain: "example.test"]

  private func made(_ changes: [HTTPCookiePropertyKey: Any]) -> HTTPCookie? {
    HTTPCookie(properties: minimum.merging(changes) { $1 })
  }

  @Test(arguments: [HTTPCookiePropertyKey.name, .value, .path, .domain])
  func requiredPropertiesAreRequired(_ key: HTTPCookiePropertyKey) {
    var properties = minimum
    properties[key] = nil
    #expect(HTTPCookie(properties: properties) == nil)
  }

  @Test func cookieOfADotIsSentNowhere() throws {
    let cookie = try #require(made([.domain: "."]))
    #expect(cookie.domain == ".")
    let storage = HTTPCookieStorage()
    storage.setCookie(cookie)
    for host in ["example.test", "example.test.", "test", "127.0.0.1"] {
      #expect(storage.cookies(for: try #require(URL(string: "http://\(host)/")))?.isEmpty == true)
    }
  }

  @Test func minimumMakesASessionCookieOfVersion0() throws {
    let cookie = try #require(HTTPCookie(properties: minimum))
    #expect(cookie.name == "n")
    #expect(cookie.value == "v")
    #expect(cookie.path == "/")
    #expect(cookie.domain == "example.test")
    #expect(cookie.version == 0)
    #expect(cookie.isSessionOnly)
    #expect(cookie.expiresDate == nil)
    #expect(!cookie.isSecure)
    #expect(!cookie.isHTTPOnly)
    #expect(cookie.portList == nil)
    #expect(cookie.sameSitePolicy == nil)
  }

  @Test func originURLStandsInForTheDomain() {
    var properties = minimum
    properties[.domain] = nil
    properties[.originURL] = URL(string: "http://Origin.test/a/b")
    #expect(HTTPCookie(properties: properties)?.domain == "origin.test")
    properties[.originURL] = "http://text.test/"
    #expect(HTTPCookie(properties: properties)?.domain == "text.test")
  }

  @Test func controlCharactersAreRefused() {
    #expect(made([.value: "a\r\nSet-Cookie: b=c"]) == nil)
    #expect(made([.name: "a\0"]) == nil)
    #expect(made([.path: "/\n"]) == nil)
  }

  @Test func expiresCountsForVersion0AsDateOrText() throws {
    let date = Date(timeIntervalSince1970: 2_000_000_000)
    #expect(made([.expires: date])?.expiresDate == date)
    #expect(made([.expires: date])?.isSessionOnly == false)
    #expect(made([.expires: "Wed, 18 May 2033 03:33:20 GMT"])?.expiresDate == date)
    #expect(made([.expires: date, .version: "1"])?.expiresDate == nil)
  }

  @Test func maximumAgeCountsForVersion1() throws {
    let cookie = try #require(made([.maximumAge: "60", .version: "1", .created: "1000"]))
    #expect(cookie.expiresDate == Date(timeIntervalSinceReferenceDate: 1060))
    #expect(!cookie.isSessionOnly)
    #expect(made([.maximumAge: "60"])?.expiresDate == nil)
  }

  @Test func version1WithoutMaximumAgeIsDiscarded() {
    #expect(made([.version: "1"])?.isSessionOnly == true)
    #expect(made([.expires: Date.distantFuture, .discard: "TRUE"])?.isSessionOnly == true)
  }

  @Test func secureIsAnyTruthyValue() {
    #expect(made([.secure: "TRUE"])?.isSecure == true)
    #expect(made([.secure: true])?.isSecure == true)
    #expect(made([.secure: NSNumber(value: 1)])?.isSecure == true)
    #expect(made([.secure: false])?.isSecure == false)
  }

  @Test func remainingPropertiesAreRead() throws {
    let cookie = try #require(
      made([
        .comment: "why", .commentURL: "http://example.test/why", .port: "80, 8080", .version: "1",
        .sameSitePolicy: HTTPCookieStringPolicy.sameSiteLax,
        HTTPCookiePropertyKey("HttpOnly"): "TRUE",
      ]))
    #expect(cookie.comment == "why")
    #expect(cookie.commentURL?.path == "/why")
    #expect(cookie.portList == [80, 8080])
    #expect(cookie.sameSitePolicy == .sameSiteLax)
    #expect(cookie.isHTTPOnly)
    #expect(made([.sameSitePolicy: "none"])?.sameSitePolicy == nil)
    #expect(made([.path: "relative"])?.path == "/")
  }

  @Test func cookieOfVersion0KeepsOnePort() {
    #expect(made([.port: "80, 8080"])?.portList == [80])
    #expect(made([.port: "443"])?.portList == [443])
    #expect(made([.port: "80,8080", .version: "0"])?.portList == [80])
    #expect(made([.port: "80,8080", .version: 1])?.portList == [80, 8080])
  }

  @Test func propertiesMayBeAnyStringProtocol() throws {
    let text = "n=v; why /a; TRUE; 1; 60; lax; 80"
    let parts = text.split(whereSeparator: { "=; ".contains($0) })
    let cookie = try #require(
      HTTPCookie(properties: [
        .name: parts[0], .value: parts[1], .comment: parts[2], .path: parts[3], .secure: parts[4], .version: parts[5],
        .maximumAge: parts[6], .sameSitePolicy: parts[7], .port: parts[8], .domain: "www.example.test".dropFirst(4),
      ]))
    #expect(cookie.name == "n" && cookie.value == "v" && cookie.comment == "why" && cookie.path == "/a")
    #expect(cookie.isSecure && cookie.version == 1 && cookie.expiresDate != nil && cookie.sameSitePolicy == .sameSiteLax)
    #expect(cookie.portList == [80] && cookie.domain == "example.test")
    #expect(HTTPCookie(properties: minimum.merging([.secure: "FALSE"[...]]) { $1 })?.isSecure == false)
    var originOnly = minimum
    originOnly[.domain] = nil
    originOnly[.originURL] = "x http://origin.test/".dropFirst(2)
    #expect(HTTPCookie(properties: originOnly)?.domain == "origin.test")
  }

  @Test func descriptionHasDarwinsForm() throws {
    let cookie = try #require(made([.created: "0"]))
    #expect(
      cookie.description == """
        <NSHTTPCookie
        \tversion:0
        \tname:n
        \tvalue:v
        \texpiresDate:'(null)'
        \tcreated:'2001-01-01 00:00:00 +0000'
        \tsessionOnly:TRUE
        \tdomain:example.test
        \tpartition:none
        \tsameSite:none
        \tpath:/
        \tisSecure:FALSE
         path:"/" isSecure:FALSE>
        """)
    let other = try #require(
      made([.secure: true, .expires: Date(timeIntervalSince1970: 0), .sameSitePolicy: "lax", HTTPCookiePropertyKey("HttpOnly"): "TRUE"]))
    #expect(other.description.contains("\texpiresDate:'1970-01-01 00:00:00 +0000'\n"))
    #expect(other.description.contains("\tsessionOnly:FALSE\n") && other.description.contains("\tsameSite:lax\n"))
    #expect(other.description.hasSuffix("\n path:\"/\" isSecure:TRUE isHTTPOnly: YES>"))
  }

  @Test(arguments: ["0", "1"])
  func propertiesMakeAnEqualCookie(_ version: String) throws {
    let cookie = try #require(
      made([
        .version: version, .expires: Date(timeIntervalSince1970: 2_000_000_000), .maximumAge: "3600", .secure: "TRUE", .port: "80",
        .comment: "c", .sameSitePolicy: "strict", .domain: ".example.test", .path: "/a",
      ]))
    let properties = try #require(cookie.properties)
    let again = try #require(HTTPCookie(properties: properties))
    #expect(again == cookie)
    #expect(again.hash == cookie.hash)
    #expect(again.expiresDate == cookie.expiresDate)
  }

  @Test(arguments: ["nan", "inf", "1e300", "x"])
  func impossibleCreationTimesDoNoHarm(_ created: String) {
    let cookie = made([.created: created, .version: "1", .maximumAge: "99999999999999999999"])
    #expect(cookie?.properties?[.name] as? String == "n")
  }

  @Test func requestHeaderFieldsAreOneCookieEntry() throws {
    let other = try #require(made([.name: "m", .value: "\"w\""]))
    let first = try #require(HTTPCookie(properties: minimum))
    #expect(HTTPCookie.requestHeaderFields(with: [first, other]) == ["Cookie": "n=v; m=\"w\""])
    #expect(HTTPCookie.requestHeaderFields(with: []).isEmpty)
  }
}
