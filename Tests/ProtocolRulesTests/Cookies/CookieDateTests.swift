import Foundation
import Testing

@testable import ProtocolRules

@Suite struct CookieDateTests {
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06-Nov-1994 08:49:37 GMT",
    "6 november 94 8:49:37", "08:49:37 06 Nov 1994 +0000",
  ])
  func datesAreReadInEveryForm(_ text: String) {
    #expect(CookieDate.parse(text) == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(arguments: [
    "", "Sun, 06 Nov 1994", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1500 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "never", "999999999999999999999",
  ])
  func impossibleDatesAreNil(_ text: String) {
    #expect(CookieDate.parse(text) == nil)
  }

  @Test(arguments: [
    ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
    ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
  ])
  func datesFollowTheCalendar(_ text: String, _ seconds: Double) {
    #expect(CookieDate.parse(text) == Date(timeIntervalSince1970: seconds))
  }
}
