import Foundation
import LoadingModel

/// The date of an `Expires` attribute, in any of the forms that servers write (RFC 6265bis, 5.1.1). Pure.
package enum CookieDate {
  package static func parse(_ text: some StringProtocol) -> Date? {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      // Each token is tried as time, day, month and year, in this order; the first token that fits one of them is used for it.
      if time == nil, let found = parseTime(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = parseMonth(token) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year else { return nil }
    if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
    guard year >= 1601, let date = CivilDate(year: year, month: month, day: day) else { return nil }
    guard time.hour <= 23, time.minute <= 59, time.second <= 59 else { return nil }
    return Date(timeIntervalSince1970: Double(((date.daysSinceEpoch * 24 + time.hour) * 60 + time.minute) * 60 + time.second))
  }

  /// Whether `byte` separates the parts of a date: a tab, a space, or ASCII punctuation other than the colon.
  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// The number at the start of `token`; nil unless it has as many digits as `digits` allows and isn't followed by another digit.
  private static func number(_ token: Substring.UTF8View.SubSequence, digits: ClosedRange<Int>) -> Int? {
    number(Array(token), digits: digits)
  }

  private static func number(_ token: some Sequence<UInt8>, digits: ClosedRange<Int>) -> Int? {
    var value = 0
    var count = 0
    for byte in token {
      guard (0x30...0x39).contains(byte) else { break }
      count += 1
      guard count <= digits.upperBound else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return count >= digits.lowerBound ? value : nil
  }

  private static func parseTime(_ token: some Collection<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
    let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy({ (0x30...0x39).contains($0) }), parts[1].allSatisfy({ (0x30...0x39).contains($0) }),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2), let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  private static func parseMonth(_ token: some Collection<UInt8>) -> Int? {
    guard token.count >= 3 else { return nil }
    let start = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
    return months.firstIndex(of: start).map { $0 + 1 }
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}
