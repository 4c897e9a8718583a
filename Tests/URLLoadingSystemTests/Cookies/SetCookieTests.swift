import Foundation
import Testing

@testable import URLLoadingSystem

struct SetCookieTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func cookies(_ field: String, for url: String = "http://www.example.test/docs/page") throws -> [HTTPCookie] {
    let url = try #require(URL(string: url))
    return HTTPCookie.cookies(withResponseHeaderFields: ["set-cookie": field, "X-Other": "a=b"], for: url)
  }

  private func received(_ field: String, for url: String = "http://www.example.test/docs/page") throws -> HTTPCookie {
    let url = try #require(URL(string: url))
    return try #require(HTTPCookie.cookies(setCookieFields: [field], for: url, now: now).first)
  }

  @Test func nameValueAndAttributesAreRead() throws {
    let cookie = try received(" id = a=b \t; Path=/x; DOMAIN=.Example.TEST; secure; HttpOnly; SameSite=Lax; Version=1; Unknown=1")
    #expect(cookie.name == "id")
    #expect(cookie.value == "a=b")
    #expect(cookie.path == "/x")
    #expect(cookie.domain == ".example.test")
    #expect(cookie.isSecure)
    #expect(cookie.isHTTPOnly)
    #expect(cookie.sameSitePolicy == .sameSiteLax)
    #expect(cookie.isSessionOnly)
    #expect(cookie.version == 1)
  }

  @Test func withoutDomainOnlyTheHostGetsIt() throws {
    #expect(try received("a=b").domain == "www.example.test")
    #expect(try received("a=b; Domain=").domain == "www.example.test")
    #expect(try received("a=b; Domain=example.test").domain == ".example.test")
    #expect(try received("a=b; Domain=127.0.0.1", for: "http://127.0.0.1/").domain == "127.0.0.1")
  }

  @Test(arguments: [
    ("http://h.test/docs/page", "/docs"), ("http://h.test/docs/", "/docs"), ("http://h.test/page", "/"), ("http://h.test", "/"),
    ("http://h.test/a/b%20c/d?x=/y/z", "/a/b%20c"),
  ])
  func defaultPathIsTheDirectory(_ url: String, _ path: String) throws {
    #expect(try received("a=b", for: url).path == path)
    #expect(try received("a=b; Path=relative", for: url).path == path)
  }

  @Test func maximumAgeBeatsExpires() throws {
    let cookie = try received("a=b; Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(cookie.expiresDate == now.addingTimeInterval(60))
    #expect(!cookie.isSessionOnly)
  }

  @Test func unusableAttributesAreIgnored() throws {
    #expect(try received("a=b; Max-Age=soon").expiresDate == nil)
    #expect(try received("a=b; Max-Age=").expiresDate == nil)
    #expect(try received("a=b; Expires=whenever").isSessionOnly)
    #expect(try received("a=b; SameSite=None").sameSitePolicy == nil)
  }

  @Test func endedAndEndlessAgesAreInRange() throws {
    #expect(try received("a=b; Max-Age=0").expiresDate == now)
    #expect(try received("a=b; Max-Age=-99999999999999999999999").expiresDate == now)
    #expect(try #require(try received("a=b; Max-Age=99999999999999999999999").expiresDate) > now.addingTimeInterval(1e10))
  }

  @Test(arguments: ["", "novalue", "=value", "; a=b", "a=b\u{1}", " = "])
  func whatIsNoCookieIsLeftOut(_ field: String) throws {
    #expect(try cookies(field).isEmpty)
  }

  @Test func oversizedCookiesAreLeftOut() throws {
    #expect(try cookies("a=" + String(repeating: "x", count: 4095)).count == 1)
    #expect(try cookies("a=" + String(repeating: "x", count: 4096)).isEmpty)
  }

  @Test func emptyValuesAreKept() throws {
    #expect(try received("a=").value == "")
    #expect(try received("a=; Path=/").path == "/")
  }

  @Test func joinedFieldsAreSplitAtCommasThatEndACookie() throws {
    let found = try cookies(
      """
      a=1; Expires=Wed, 18 May 2033 03:33:20 GMT; Path=/, b=2; expires=Wed, 18-May-2033 03:33:20 GMT,c=x,y,  d="q, r"; secure, \
      e=5;path=/;domain=.x.test
      """
    )
    #expect(found.map(\.name) == ["a", "b", "c", "d", "e"])
    #expect(found.map(\.value) == ["1", "2", "x,y", "\"q, r\"", "5"])
    #expect(found[0].expiresDate == Date(timeIntervalSince1970: 2_000_000_000))
    #expect(found[1].expiresDate == found[0].expiresDate)
    #expect(found.map(\.isSecure) == [false, false, false, true, false])
    #expect(found[4].domain == ".x.test")
  }

  @Test func responsesWithoutTheFieldHaveNoCookies() throws {
    let url = try address("http://h.test/")
    #expect(HTTPCookie.cookies(withResponseHeaderFields: ["Content-Type": "text/html"], for: url).isEmpty)
    #expect(HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "a=b"], for: URL(fileURLWithPath: "/x")).isEmpty)
  }

  @Test(arguments: ["a=b; Comment", "a=b; Comment=", "a=b; Comment= ; Path=/"])
  func commentWithoutAValueIsNil(_ field: String) throws {
    #expect(try received(field).comment == nil)
    #expect(try received("a=b; Comment=why").comment == "why")
  }

  @Test(arguments: [
    ("a=1; Path=/\nb=2", ["a", "b"]), ("a=1\r\nb=2; Secure\r\n", ["a", "b"]), ("a=1,\nb=2", ["a", "b"]),
    ("\na=1, b=2\n\nc=3", ["a", "b", "c"]),
    ("a=1;\n Path=/x, b=2", ["a", "b"]), ("a=1;\nPath=/x\nb=2", ["a", "b"]), ("a=1\n Path=/x,b=2", ["a", "b"]), ("a=1\0, b=2", ["b"]),
  ])
  func lineBreakInAJoinedFieldLosesNoCookie(_ field: String, _ names: [String]) throws {
    let found = try cookies(field)
    #expect(found.map(\.name) == names)
    #expect(found.last?.value == String(names.last == "c" ? 3 : 2))
  }

  @Test func foldedAttributesBelongToTheirCookie() throws {
    let found = try cookies("a=1;\n Path=/x;\nSecure, b=2")
    #expect(found.map(\.path) == ["/x", "/docs"])
    #expect(found.map(\.isSecure) == [true, false])
  }

  private func address(_ text: String) throws -> URL { try #require(URL(string: text)) }
}
