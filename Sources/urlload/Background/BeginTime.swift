import Foundation

/// Parses the time of `--not-before`. Pure, except for the local time zone.
enum BeginTime {
  /// Longest time from now that is accepted, in seconds: a century.
  private static let longest = 100 * 366 * 86_400.0
  private static let local = ["yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd"]

  /// The time that `text` means; nil if it is neither a number of seconds nor a date, or more than a century away.
  static func date(_ text: String, now: Date) -> Date? {
    let date = Double(text).map { $0 >= 0 && $0 <= longest ? now.addingTimeInterval($0) : nil } ?? (zoned(text) ?? unzoned(text))
    return date.flatMap { abs($0.timeIntervalSince(now)) <= longest ? $0 : nil }
  }

  /// A date in ISO 8601 with a time zone; nil if it is something else.
  private static func zoned(_ text: String) -> Date? {
    let formatter = ISO8601DateFormatter()
    return formatter.date(from: text)
  }

  private static func unzoned(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.isLenient = false
    for format in local {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }
}
