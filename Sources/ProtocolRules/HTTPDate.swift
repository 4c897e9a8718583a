import Foundation
import LoadingModel

/// Dates in HTTP header fields (RFC 9110, 5.6.7). Cookie dates have rules of their own.
package enum HTTPDate {
  /// The date in `text`, in one of the three forms a recipient must accept; nil if it isn't exactly one of them.
  ///
  /// RFC 9111, 4.2: day and month names are compared case-insensitively, and a zone other than GMT makes the date invalid. 5.3: an invalid date
  /// counts as one in the past, so a lenient parser would keep a response fresh that the server may have meant to be stale.
  ///
  /// - Parameter now: The current time, which decides the century of a two-digit year: a date "that appears to be more than 50 years in the
  ///   future" is in the past.
  package static func parse(_ text: String, now: Date) -> Date? {
    var text = text.trimmingSpaces()
    return text.withUTF8 { bytes in
      guard let separator = bytes.firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == 0x20 }) else { return nil }
      var rest = Scanner(bytes: bytes, position: separator)
      let day = bytes[..<separator]
      let isShort = day.count == 3 && shortDayCodes.contains(code(day))
      if bytes[separator] == 0x20 { return isShort ? rest.asctime() : nil }
      return if isShort { rest.fixdate() } else if isLongDay(day) { rest.rfc850(now: now) } else { nil }
    }
  }

  /// `date` as IMF-fixdate, the form to send: "Sun, 06 Nov 1994 08:49:37 GMT".
  package static func format(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    let whole = seconds.isFinite ? Int(min(max(seconds, -62_167_219_200), 253_402_300_799).rounded(.down)) : 0
    let days = whole >= 0 ? whole / 86_400 : -((-whole + 86_399) / 86_400)
    let time = whole - days * 86_400
    let date = CivilDate(daysSinceEpoch: days)
    let weekday = ((days % 7) + 11) % 7
    return "\(shortDays[weekday]), \(padded(date.day, 2)) \(months[date.month - 1]) \(padded(date.year, 4)) "
      + "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)) GMT"
  }

  private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position: Int

    /// Reads an IMF-fixdate after its day name: ", 06 Nov 1994 08:49:37 GMT". nil if it differs.
    mutating func fixdate() -> Date? {
      guard skip(","), skip(" "), let day = number(2), skip(" "), let month = month(), skip(" "), let year = number(4), skip(" "),
        let time = time(), skip(" "), skip("GMT"), position == bytes.count
      else { return nil }
      return date(year, month, day, time)
    }

    /// Reads the RFC 850 form after its day name: ", 06-Nov-94 08:49:37 GMT". nil if it differs.
    mutating func rfc850(now: Date) -> Date? {
      guard skip(","), skip(" "), let day = number(2), skip("-"), let month = month(), skip("-"), let year = number(2), skip(" "),
        let time = time(), skip(" "), skip("GMT"), position == bytes.count
      else { return nil }
      return date(HTTPDate.fullYear(year, now: now), month, day, time)
    }

    /// Reads the form of C's `asctime` after its day name: " Nov  6 08:49:37 1994". nil if it differs.
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
      guard let index = HTTPDate.monthCodes.firstIndex(of: HTTPDate.code(bytes[position..<position + 3])) else { return nil }
      position += 3
      return index + 1
    }

    /// Reads a time of day as seconds since midnight; a second of 60 is a leap second.
    private mutating func time() -> Int? {
      guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2), hour < 24, minute < 60, second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + second
    }

    private func date(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Date? {
      CivilDate(year: year, month: month, day: day).map { Date(timeIntervalSince1970: Double($0.daysSinceEpoch * 86_400 + time)) }
    }
  }

  private static let shortDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  // Every use of a stored response parses a date: three-letter names are compared as numbers, which is faster than comparing strings.
  private static let shortDayCodes = shortDays.map { code($0.utf8) }
  private static let monthCodes = months.map { code($0.utf8) }

  /// The letters of a three-letter name, in lower case, packed into one number.
  private static func code(_ name: some Sequence<UInt8>) -> UInt32 {
    name.reduce(0) { $0 << 8 | UInt32($1.lowercasedASCII) }
  }

  private static func isLongDay(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    longDays.contains { $0.utf8.elementsEqual(bytes) { $0.lowercasedASCII == $1.lowercasedASCII } }
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
}
