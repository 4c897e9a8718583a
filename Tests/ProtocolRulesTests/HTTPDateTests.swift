import Foundation
import ProtocolRules
import Testing

struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Mon, 01 Jan 1900 00:00:00 GMT", -2_208_988_800), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800), ("Thursday, 01-Jan-76 00:00:00 GMT", 189_302_400),
  ])
  func allThreeFormsAreRead(text: String, seconds: Double) {
    #expect(HTTPDate.parse(text, now: now)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT", "Wed, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "06 Nov 1994",
    "Sun, 06 Nov 1994 08:49:37 UTC", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994  08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMTX", "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 AEST", "Sun Nov 06 08:49:37 94", "Sun", "Sun,", ", ",
  ])
  func otherTextIsNoDate(text: String) {
    #expect(HTTPDate.parse(text, now: now) == nil)
  }

  @Test(arguments: ["SUN, 06 Nov 1994 08:49:37 GMT", "Sun, 06 NOV 1994 08:49:37 gmt", " Sun, 06 Nov 1994 08:49:37 GMT "])
  func caseAndOuterSpaceDoNotMatter(text: String) {
    #expect(HTTPDate.parse(text, now: now)?.timeIntervalSince1970 == 784_111_777)
  }

  @Test(
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (951_825_600.9, "Tue, 29 Feb 2000 12:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"), (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ] as [(Double, String)])
  func datesAreWrittenAsFixdate(seconds: Double, text: String) {
    #expect(HTTPDate.format(Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test func writtenDatesAreReadBack() {
    for step in 0..<500 {
      let date = Date(timeIntervalSince1970: Double(step) * 86_399 * 37 - 1e9)
      #expect(HTTPDate.parse(HTTPDate.format(date), now: now) == date)
    }
  }

  @Test func absurdClocksAreHarmless() {
    for now in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan)] {
      #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now) != nil)
    }
  }

  /// In 2024.
  private let now = Date(timeIntervalSince1970: 1_720_000_000)
}
