import Foundation
import LoadingModel

/// Dates in HTTP header fields (RFC 9110, 5.6.7). Cookie dates have rules of their own.
package enum HTTPDate {
  /// The date in `text`, in one of the three forms a recipient must accept; nil if it isn't exactly one of them.
  ///
  /// RFC 9111, 4.2: names match without case, and a zone other than GMT is invalid. 5.3: what is invalid lies in the past, so that a lenient
  /// reading would keep a response fresh that the server may have meant to be stale.
  ///
  /// - Parameter now: Decides the century of a two-digit year: one "that appears to be more than 50 years in the future" is past.
  package static func parse(_ text: String, now: Date) -> Date? {
    var text = text.trimmingSpaces()
    return text.withUTF8 { bytes in
      guard let separator = bytes.firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == 0x20 }) else { return nil }
      var rest = Scanner(bytes: bytes, position: separator)
      let day = bytes[..<separator]
      if bytes[separator] == 0x20 { return isName(day, of: shortDays) ? rest.asctime() : nil }
      if isName(day, of: shortDays) { return rest.fixdate() }
      return isName(day, of: longDays) ? rest.rfc850(now: now) : nil
    }
  }

  /// `date` as IMF-fixdate, the form to send: "Sun, 06 Nov 1994 08:49:37 GMT".
  package static func format(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    let whole = seconds.isFinite ? Int(min(max(seconds, -62_167_219_200), 253_402_300_799).rounded(.down)) : 0
    let days = whole >= 0 ? whole / 86_400 : -((-whole + 86_399) / 86_400)
    let time = whole - days * 86_400
    let (year, month, day) = civil(daysSinceEpoch: days)
    let weekday = ((days % 7) + 11) % 7
    return "\(shortDays[weekday]), \(padded(day, 2)) \(months[month - 1]) \(padded(year, 4)) "
      + "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)) GMT"
  }

  private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position: Int

    /// ", 06 Nov 1994 08:49:37 GMT"
    mutating func fixdate() -> Date? {
      guard skip(","), skip(" "), let day = number(2), skip(" "), let month = month(), skip(" "), let year = number(4), skip(" "),
        let time = time(), skip(" "), skip("GMT"), position == bytes.count
      else { return nil }
      return date(year, month, day, time)
    }

    /// ", 06-Nov-94 08:49:37 GMT"
    mutating func rfc850(now: Date) -> Date? {
      guard skip(","), skip(" "), let day = number(2), skip("-"), let month = month(), skip("-"), let year = number(2), skip(" "),
        let time = time(), skip(" "), skip("GMT"), position == bytes.count
      else { return nil }
      return date(HTTPDate.fullYear(year, now: now), month, day, time)
    }

    /// " Nov  6 08:49:37 1994"
    mutating func asctime() -> Date? {
      guard skip(" "), let month = month(), skip(" ") else { return nil }
      let day = skip(" ") ? number(1) : number(2)
      guard let day, skip(" "), let time = time(), skip(" "), let year = number(4), position == bytes.count else { return nil }
      return date(year, month, day, time)
    }

    private mutating func skip(_ wanted: StaticString) -> Bool {
      let count = wanted.utf8CodeUnitCount
      guard position + count <= bytes.count else { return false }
      for offset in 0..<count where bytes[position + offset].lowercasedASCII != wanted.utf8Start[offset].lowercasedASCII { return false }
      position += count
      return true
    }

    private mutating func number(_ digits: Int) -> Int? {
      guard position + digits <= bytes.count else { return nil }
      guard let value = FieldSyntaxRules.decimal(bytes[position..<position + digits]) else { return nil }
      position += digits
      return Int(value)
    }

    private mutating func month() -> Int? {
      guard position + 3 <= bytes.count else { return nil }
      guard let index = HTTPDate.months.firstIndex(where: { HTTPDate.isName(bytes[position..<position + 3], of: [$0]) }) else { return nil }
      position += 3
      return index + 1
    }

    /// Seconds since midnight; 60 is a leap second.
    private mutating func time() -> Int? {
      guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2), hour < 24, minute < 60, second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + second
    }

    private func date(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Date? {
      guard day >= 1, day <= HTTPDate.length(ofMonth: month, year: year) else { return nil }
      return Date(timeIntervalSince1970: Double(HTTPDate.daysSinceEpoch(year: year, month: month, day: day) * 86_400 + time))
    }
  }

  private static let shortDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func isName(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, of names: [String]) -> Bool {
    names.contains { name in name.utf8.count == bytes.count && zip(name.utf8, bytes).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func fullYear(_ short: Int, now: Date) -> Int {
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

  /// The inverse of `daysSinceEpoch` for years from 0 on.
  private static func civil(daysSinceEpoch days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }
}
