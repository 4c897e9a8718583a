/// A day of the proleptic Gregorian calendar, for years from 0 on.
package struct CivilDate: Sendable, Hashable {
  package let year: Int
  /// 1…12
  package let month: Int
  /// 1…31
  package let day: Int

  /// nil for a day that the calendar doesn't have.
  package init?(year: Int, month: Int, day: Int) {
    guard year >= 0, (1...12).contains(month), day >= 1, day <= CivilDate.length(ofMonth: month, year: year) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The day that is `daysSinceEpoch` after 1970-01-01.
  package init(daysSinceEpoch days: Int) {
    let shifted = days + CivilDate.epoch
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / CivilDate.daysOfEra
    let dayOfEra = shifted - era * CivilDate.daysOfEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    month = march < 10 ? march + 3 : march - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * march + 2) / 5 + 1
  }

  /// Days from 1970-01-01 to this one.
  package var daysSinceEpoch: Int {
    // The year is taken to start in March, so that the leap day comes last.
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * CivilDate.daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - CivilDate.epoch
  }

  /// Days in 400 years.
  private static let daysOfEra = 146_097
  /// Days from 0000-03-01, where the calculation starts, to 1970-01-01.
  private static let epoch = 719_468

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
