import Foundation
import ProtocolRules
import Testing

@Suite struct CivilDateTests {
  /// Years 0 to 9999.
  @Test func everyDayComesBackAndFollowsTheOneBefore() throws {
    var expected = try #require(CivilDate(year: 0, month: 1, day: 1)).daysSinceEpoch
    #expect(expected == -719_528)
    var wrong = 0
    for year in 0...9999 {
      for month in 1...12 {
        for day in 1...31 {
          guard let date = CivilDate(year: year, month: month, day: day) else { continue }
          if date.daysSinceEpoch != expected || CivilDate(daysSinceEpoch: expected) != date { wrong += 1 }
          expected += 1
        }
      }
    }
    #expect(wrong == 0)
    #expect(expected == 2_932_897)
  }

  /// From 1600 on: Foundation's calendar is Julius Caesar's before 1582.
  @Test func daysAreThoseOfTheCalendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "GMT"))
    for days in stride(from: -135_000, through: 2_932_896, by: 9973) {
      let parts = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
      let date = CivilDate(daysSinceEpoch: days)
      #expect((date.year, date.month, date.day) == (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0))
    }
  }

  @Test(arguments: [
    (1900, 2, 29), (2023, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 1, 0), (2024, 1, 32), (2024, 0, 1), (2024, 13, 1), (-1, 1, 1),
  ])
  func dayThatTheCalendarDoesNotHaveIsNone(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test(arguments: [(2000, 2, 29, 11_016), (2024, 2, 29, 19_782), (1970, 1, 1, 0), (1969, 12, 31, -1)])
  func leapDaysAndTheEpoch(year: Int, month: Int, day: Int, days: Int) {
    #expect(CivilDate(year: year, month: month, day: day)?.daysSinceEpoch == days)
  }
}
