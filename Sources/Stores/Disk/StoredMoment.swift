import Foundation

/// Dates that a store accepts from disk: the years 0 to 9999. Conversions to integers and calendars trap outside of them.
enum StoredMoment {
  private static let sinceReferenceDate = -63_145_526_400.0...252_423_993_599.0

  /// - Parameter seconds: Since the reference date, 2001-01-01. The result is nil outside of the years 0 to 9999.
  static func date(sinceReferenceDate seconds: Double) -> Date? {
    sinceReferenceDate.contains(seconds) ? Date(timeIntervalSinceReferenceDate: seconds) : nil
  }

  static func date(since1970 seconds: Double) -> Date? {
    date(sinceReferenceDate: seconds - Date.timeIntervalBetween1970AndReferenceDate)
  }
}
