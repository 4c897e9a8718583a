import Foundation
import LoadingModel

/// Dates in HTTP header fields (RFC 9110, 5.6.7). Cookie dates have rules of their own.
package enum HTTPDate {
  /// The date in `text`, in one of the three forms a recipient must accept; nil if it is none of them or not in GMT.
  ///
  /// - Parameter now: Decides the century of a two-digit year: one "that appears to be more than 50 years in the future" is past.
  package static func parse(_ text: String, now: Date) -> Date? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
    switch words.count {
    // "Sun, 06 Nov 1994 08:49:37 GMT" and "Sunday, 06-Nov-94 08:49:37 GMT".
    case 6 where words[5] == "GMT" || words[5] == "UTC":
      return date(day: words[1], month: words[2], year: words[3], time: words[4], now: now)
    // "Sun Nov  6 08:49:37 1994".
    case 5: return date(day: words[2], month: words[1], year: words[4], time: words[3], now: now)
    default: return nil
    }
  }

  private static func date(day: Substring, month: Substring, year: Substring, time: Substring, now: Date) -> Date? {
    guard let month = months.firstIndex(where: { $0.equalsIgnoringCase(month) }), let day = number(day, 1...2),
      let year = fullYear(year, now: now)
    else { return nil }
    let parts = time.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = number(parts[0], 2...2), let minute = number(parts[1], 2...2), let second = number(parts[2], 2...2),
      hour < 24, minute < 60, second <= 60, day >= 1, day <= length(ofMonth: month + 1, year: year)
    else { return nil }
    let days = daysSinceEpoch(year: year, month: month + 1, day: day)
    return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func number(_ text: Substring, _ digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count) else { return nil }
    return FieldSyntaxRules.decimal(text.utf8).map { Int($0) }
  }

  private static func fullYear(_ text: Substring, now: Date) -> Int? {
    if let year = number(text, 4...4) { return year }
    guard let short = number(text, 2...2) else { return nil }
    // Mean Gregorian years are exact enough to tell centuries apart.
    let seconds = now.timeIntervalSince1970.isFinite ? min(max(now.timeIntervalSince1970, -6e10), 2.4e11) : 0
    let thisYear = 1970 + Int((seconds / 31_556_952).rounded(.down))
    let candidate = thisYear - thisYear % 100 + short
    return candidate > thisYear + 50 ? candidate - 100 : candidate
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 in the proleptic Gregorian calendar; the year is taken to start in March, so that the leap day comes last.
  private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
