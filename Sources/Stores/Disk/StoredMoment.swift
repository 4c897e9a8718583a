import Foundation

/// Moments that a store can have written: the years 0 to 9999. Beyond them conversions to integers and calendars trap.
enum StoredMoment {
  private static let sinceReferenceDate = -63_145_526_400.0...252_423_993_599.0

  /// - Parameter seconds: Since the reference date, 2001-01-01.
  static func date(sinceReferenceDate seconds: Double) -> Date? {
    sinceReferenceDate.contains(seconds) ? Date(timeIntervalSinceReferenceDate: seconds) : nil
  }

  static func date(since1970 seconds: Double) -> Date? {
    date(sinceReferenceDate: seconds - Date.timeIntervalBetween1970AndReferenceDate)
  }
}
