import Foundation
import Testing
import URLLoadingSystem

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct CookieFileTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  /// The cookies in these lines of tab-separated fields, written here with bars.
  private func read(_ lines: String...) -> [HTTPCookie] {
    CookieFile.cookies(in: lines.joined(separator: "\n").replacing("|", with: "\t"), now: now)
  }

  @Test func fieldsOfTheFormatAreRead() throws {
    let cookie = try #require(read("# Netscape HTTP Cookie File", "", ".example.com|TRUE|/a|TRUE|1800000000|name|va=lue").first)
    #expect(cookie.domain == ".example.com")
    #expect(cookie.path == "/a")
    #expect(cookie.isSecure)
    #expect(cookie.expiresDate == Date(timeIntervalSince1970: 1_800_000_000))
    #expect(cookie.name == "name")
    #expect(cookie.value == "va=lue")
    #expect(!cookie.isHTTPOnly)
  }

  @Test func hostOnlyHiddenAndSessionCookiesAreTold() throws {
    let cookies = read("#HttpOnly_.example.com|FALSE|/|FALSE|0|n|v", "other.example|TRUE|/|FALSE|0|n|")
    #expect(cookies.map(\.domain) == ["example.com", ".other.example"])
    #expect(cookies.map(\.isHTTPOnly) == [true, false])
    #expect(cookies.map(\.isSessionOnly) == [true, true])
    #expect(cookies.map(\.value) == ["v", ""])
  }

  @Test func linesThatAreNoCookieAndCookiesThatHaveEndedArePassedOver() {
    #expect(read("nonsense", "a.example|TRUE|/|FALSE|0", "a.example|TRUE|/|FALSE|soon|n|v", "a.example|TRUE|/|FALSE|5|n|v").isEmpty)
    #expect(read("a.example|FALSE|/|FALSE|0|n").map(\.value) == [""])
  }

  @Test func headerFieldsAreReadAsCurlDoes() throws {
    let cookie = try #require(read("Set-Cookie: n=v; Domain=.example.com; Path=/p; HttpOnly").first)
    #expect(cookie.name == "n")
    #expect(cookie.path == "/p")
    #expect(cookie.isHTTPOnly)
    #expect(read("Set-Cookie: n=v").isEmpty)
  }

  @Test func whatIsWrittenIsReadAgain() {
    let lines = [
      "#HttpOnly_.example.com|TRUE|/|TRUE|1800000000|a|1", ".example.com|TRUE|/b|FALSE|0|b|", "127.0.0.1|FALSE|/|FALSE|1800000000|c|x y",
    ]
    let text = CookieFile.text(read(lines.joined(separator: "\n")))
    #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
    let written = text.split(separator: "\n").filter { $0.contains("\t") }.map { String($0).replacing("\t", with: "|") }
    #expect(Set(written) == Set(lines))
    #expect(CookieFile.cookies(in: text, now: now).count == 3)
  }

  @Test func argumentsWithAnEqualsSignAreCookies() {
    #expect(CookieArgument("jar.txt") == .file("jar.txt"))
    #expect(
      CookieArgument(" a=1;b = x=y ;junk; =z; c=")
        == .pairs([
          .init(name: "a", value: "1"), .init(name: "b ", value: " x=y"), .init(name: "c", value: ""),
        ]))
  }
}
