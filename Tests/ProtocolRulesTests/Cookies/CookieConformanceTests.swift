import Foundation
import Testing

@testable import ProtocolRules

/// The cases of the http-state working group, from a server's fields to the field that is sent back.
@Suite(.enabled(if: Conformance.isPresent, Comment(rawValue: Conformance.absence)))
struct CookieConformanceTests {
  /// Cases whose expectation RFC 6265bis has overtaken, each with its reason and with what is sent instead.
  private static let exceptions: [String: (sent: String?, reason: String)] = [
    "0028": (nil, "a cookie without “=” has no name: cases 0004 and 0023 to 0027 expect that it is ignored, and so it is here"),
    "disabled-chromium0022": (nil, "5.6, step 1: a field with a control character is ignored whole, not cut there"),
    "disabled-chromium0023": (nil, "5.6, step 1: a field with a control character is ignored whole, not cut there"),
    "optional-domain0042": ("foo=bar", "5.6.3 and 5.7, step 10: an empty Domain, being the last one, makes the cookie the host's own"),
    "disabled-path0029": (nil, "5.1.4 compares paths as they are sent: “%6F” isn't “o” (case path0028 says so as well)"),
  ]

  @Test func casesOfTheWorkingGroupAreAnsweredAsExpected() throws {
    let file = try JSONSerialization.jsonObject(with: Data(contentsOf: Conformance.folder.appending(path: "http-state.json")))
    let cases = try #require((file as? [String: Any])?["cases"] as? [[String: Any]])
    #expect(cases.count == 222)
    for row in cases {
      let name = try #require(row["name"] as? String)
      let sent = try answer(to: row)
      if let exception = CookieConformanceTests.exceptions[name] {
        #expect(sent == exception.sent, "\(name): \(exception.reason)")
      } else {
        #expect(sent == row["expected_cookie"] as? String, "\(name): \(row["set_cookie"] ?? "")")
      }
    }
  }

  private func answer(to row: [String: Any]) throws -> String? {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    func url(_ key: String) throws -> CookieURL {
      try #require(CookieURL((row[key] as? String).flatMap { URL(string: $0) }))
    }
    let origin = try url("request_url")
    var jar = CookieJar()
    for field in try #require(row["set_cookie"] as? [String]) {
      guard let cookie = SetCookieField.parse(field, from: origin, now: now) else { continue }
      _ = jar.receive([cookie], from: origin, party: .firstParty, acceptance: .always, suffixes: GuessedPublicSuffixes(), now: now)
    }
    return jar.field(for: try url("followup_url"), now: now)
  }

  @Test func datesOfTheWorkingGroupAreReadAsExpected() throws {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    let rows = try Conformance.rows("http-state-dates.json")
    #expect(rows.count == 70)
    for row in rows {
      let row = try #require(row as? [String: Any])
      let text = try #require(row["test"] as? String)
      let expected = (row["expected"] as? String).flatMap { format.date(from: $0) }
      #expect((row["expected"] is String) == (expected != nil))
      #expect(CookieDate.parse(text) == expected, "\(text)")
    }
  }
}
