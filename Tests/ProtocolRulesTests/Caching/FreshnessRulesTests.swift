import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct FreshnessRulesTests {
  @Test(
    arguments: [
      ([("Cache-Control", "max-age=60"), ("Expires", "0")], 60),
      ([("Cache-Control", "max-age=0"), ("Expires", date(60))], 0),
      ([("Cache-Control", "max-age=99999999999999999999")], Double(1 << 31)),
      ([("Expires", date(60))], 60), ([("Expires", date(60)), ("Date", date(-30))], 90),
      ([("Expires", date(60)), ("Date", "nonsense")], 60),
      ([("Expires", date(-577))], 0), ([("Expires", "soon")], 0), ([("Expires", "0")], 0), ([("Expires", date(0))], 0),
      ([("Expires", date(60)), ("Expires", date(61))], 0),
      ([("Cache-Control", "s-maxage=60")], 0), ([], 0), ([("CDN-Cache-Control", "max-age=60")], 0),
      ([("Last-Modified", date(-1000))], 100), ([("Last-Modified", date(-1000)), ("Date", date(-500))], 50),
      ([("Last-Modified", date(1000))], 0), ([("Last-Modified", "yesterday")], 0), ([("Last-Modified", date(-1e9))], 604_800),
      ([("Last-Modified", date(-1000)), ("Cache-Control", "max-age=5")], 5),
      ([("Last-Modified", date(-1000)), ("Expires", "0")], 0),
    ] as [([HeaderFields.Entry], Double)])
  func lifetimeIsMaxAgeOrExpiresOrAGuess(fields: [HeaderFields.Entry], expected: Double) {
    let stored = stored(fields)
    #expect(FreshnessRules.lifetime(stored, control: CacheControl(stored.head.headers)) == expected)
  }

  @Test(
    arguments: [
      (200, "", true), (203, "", true), (204, "", true), (300, "", true), (301, "", true), (308, "", true), (404, "", true),
      (405, "", true),
      (410, "", true), (414, "", true), (501, "", true), (201, "", false), (202, "", false), (302, "", false), (307, "", false),
      (403, "", false), (500, "", false), (502, "", false), (503, "", false), (504, "", false), (599, "", false), (599, "public", true),
    ])
  func guessesDependOnTheStatus(status: Int, control: String, expected: Bool) {
    let stored = stored([("Last-Modified", date(-1000)), ("Cache-Control", control)], status: status)
    #expect((FreshnessRules.lifetime(stored, control: CacheControl(stored.head.headers)) > 0) == expected)
  }

  @Test(
    arguments: [
      ([], 10), ([("Age", "7")], 17), ([("Age", "7, 0")], 17), ([("Age", "0, 7")], 10), ([("Age", "0"), ("Age", "7")], 10),
      ([("Age", "-7")], 10), ([("Age", "abc")], 10), ([("Age", "7.0")], 10), ([("Age", "")], 10),
      ([("Age", "2147483648")], 2_147_483_658), ([("Age", "99999999999999999999")], 2_147_483_658),
      ([("Date", date(-30))], 40), ([("Date", date(-30)), ("Age", "60")], 70), ([("Date", date(30))], 10), ([("Date", "x")], 10),
    ] as [([HeaderFields.Entry], Double)])
  func ageIsWhatTheResponseSaysPlusItsTimeHere(fields: [HeaderFields.Entry], expected: Double) {
    #expect(FreshnessRules.age(stored(fields), now: received.addingTimeInterval(10)) == expected)
  }

  @Test func theTimeOfTheExchangeCountsAsAge() {
    let stored = stored([("Age", "5")], asked: 3)
    #expect(FreshnessRules.age(stored, now: received) == 8)
    #expect(FreshnessRules.age(stored, now: received.addingTimeInterval(-1000)) == 8)
  }

  @Test(arguments: ["2147483647", "2147483648", "2147483649", "99999999999999999999", "7200;foo=bar", "0;foo=1", "7 ; a"])
  func theLongestAgeIsStaleWhateverTheLifetime(age: String) {
    let stored = stored([("Cache-Control", "max-age=2147483647"), ("Age", age)])
    #expect(!FreshnessRules.freshness(stored, now: received).isFresh)
  }
}
